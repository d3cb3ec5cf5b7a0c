#!/bin/sh
# Some files to send, with the names that break other ways of sending: files.sh FOLDER
set -eu
mkdir -p "$1"
cd "$1"
echo 'Hello from the web server.' >hello.txt
echo 'A percent sign.' >'90%.txt'
echo 'Looks encoded.' >'a%20b.txt'
echo 'A space.' >'a b.txt'
echo 'A question.' >'what?.txt'
dd if=/dev/zero of=64MB.bin bs=1048576 count=64 2>/dev/null
chmod -R a+rX .
