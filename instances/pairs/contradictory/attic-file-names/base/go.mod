module example.org/attic

go 1.19
