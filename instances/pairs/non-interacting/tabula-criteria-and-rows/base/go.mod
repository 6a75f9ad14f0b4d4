module example.org/tabula

go 1.19
