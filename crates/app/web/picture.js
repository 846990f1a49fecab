// The board as a file: the picture as it is on the page, with its colours inside, as SVG or PNG.

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "opacity", "stop-color", "stop-opacity", "font-family", "font-weight", "text-anchor", "dominant-baseline"];

/** Pixels of a PNG for each of the page. */
const SCALE = 3;

/** Returns the text of the picture, which needs nothing else. */
function text(picture) {
  const copy = picture.cloneNode(true);
  const [from, to] = [picture, copy].map(root => root.querySelectorAll("*"));
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      // What stones are filled with is a part of the picture, whatever the page's address is.
      if (value && !value.includes("url(")) to[i].setAttribute(name, value);
    }
    to[i].removeAttribute("class");
  });
  copy.removeAttribute("class");
  copy.removeAttribute("aria-hidden");
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

/** Lets the browser save a file of this name. */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const svgBlob = picture => new Blob([text(picture)], { type: "image/svg+xml" });

/** Saves the picture as SVG. */
export function saveSvg(picture) {
  download(svgBlob(picture), "board.svg");
}

/** Saves the picture as PNG. */
export async function savePng(picture) {
  const address = URL.createObjectURL(svgBlob(picture));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    const { width, height } = picture.getBoundingClientRect();
    canvas.width = Math.round(width * SCALE);
    canvas.height = Math.round(height * SCALE);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    download(await new Promise(done => canvas.toBlob(done, "image/png")), "board.png");
  } finally {
    URL.revokeObjectURL(address);
  }
}
