package export

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
)

// Write writes files into a folder, which is made where it is not there. What an earlier export wrote there by its list, and
// this one does not write, is removed; other files are left alone.
func Write(folder string, files []File) (written, removed int, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, 0, err
	}
	earlier, err := listed(folder)
	if err != nil {
		return 0, 0, err
	}
	for _, each := range files {
		path := filepath.Join(folder, each.Name)
		if old, err := os.ReadFile(path); err != nil || string(old) != string(each.Content) {
			if err := os.WriteFile(path, each.Content, 0o644); err != nil {
				return written, removed, err
			}
			written++
		}
		delete(earlier, each.Name)
	}
	for name := range earlier {
		switch err := os.Remove(filepath.Join(folder, name)); {
		case err == nil:
			removed++
		case !errors.Is(err, fs.ErrNotExist):
			return written, removed, err
		}
	}
	return written, removed, nil
}

// listed gives the files that a folder's list names, and their digests.
func listed(folder string) (map[string]string, error) {
	found := map[string]string{}
	content, err := os.Open(filepath.Join(folder, ListFile))
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	defer content.Close()
	rows, err := csv.NewReader(content).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ListFile, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: it is empty", ListFile)
	}
	file, sum := column(rows[0], "file"), column(rows[0], "sha256")
	if file < 0 || sum < 0 {
		return nil, fmt.Errorf("%s: the column file or sha256 is missing", ListFile)
	}
	for _, row := range rows[1:] {
		if name := row[file]; name == filepath.Base(name) {
			found[name] = row[sum]
		}
	}
	return found, nil
}

func column(heading []string, name string) int {
	for i, each := range heading {
		if each == name {
			return i
		}
	}
	return -1
}

// Verify compares a folder with its list: the names of files that are missing, and of those that were changed.
func Verify(folder string) (missing, changed []string, err error) {
	if _, err := os.Stat(filepath.Join(folder, ListFile)); err != nil {
		return nil, nil, err
	}
	expected, err := listed(folder)
	if err != nil {
		return nil, nil, err
	}
	for name, sum := range expected {
		content, err := os.ReadFile(filepath.Join(folder, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, name)
		case err != nil:
			return nil, nil, err
		case digest(content) != sum:
			changed = append(changed, name)
		}
	}
	sort.Strings(missing)
	sort.Strings(changed)
	return missing, changed, nil
}
