-- What Tengen knows about positions. Each row is one position.
CREATE TABLE position (
    -- The stones, such as 'h6h8', rows counted from the top, in the order of the cells. Of the
    -- rotations and reflections of a position, only the one whose cells come first is stored.
    own TEXT NOT NULL,          -- those of the side to move
    other TEXT NOT NULL,        -- those of the side that moved last
    walls TEXT NOT NULL,
    to_move TEXT NOT NULL,      -- 'black', 'white'
    rule TEXT NOT NULL,         -- 'freestyle', 'standard', 'renju', 'caro', 'caro-exact'
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    black TEXT AS (CASE to_move WHEN 'black' THEN own ELSE other END),
    white TEXT AS (CASE to_move WHEN 'black' THEN other ELSE own END),
    -- The result of a search for the side to move: an estimate or a proof, counted in plies.
    score INTEGER,
    win_in INTEGER,
    loss_in INTEGER,
    bound TEXT,                 -- 'upper': at most this, 'lower': at least this, NULL: exact
    depth INTEGER,
    best TEXT,                  -- the best move, such as 'i9'
    mark TEXT,                  -- a person's mark on the move that leads here: one character
    comment TEXT,
    labels TEXT,                -- the labels of cells: {"l11":"A"}
    PRIMARY KEY (own, other, walls, to_move, rule, width, height)
) WITHOUT ROWID;
