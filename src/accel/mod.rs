//! A path under a root becomes the headers with which a web server sends it, or is streamed from here.
