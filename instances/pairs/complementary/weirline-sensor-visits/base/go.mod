module example.org/weirline

go 1.19
