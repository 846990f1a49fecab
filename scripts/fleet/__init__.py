"""What fleet.py is made of: jobs, their files, what runs on a worker, statistics."""
