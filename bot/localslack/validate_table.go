package localslack

import "unicode/utf8"

func (c *checker) table(at string, b map[string]any) {
	c.tables++
	rows := list(b["rows"])
	c.count(at+"/rows", len(rows), 1, 100)
	c.count(at+"/column_settings", len(list(b["column_settings"])), 0, 20)
	c.total += c.cells(at, rows, 20, 10000)
}

func (c *checker) dataTable(at string, b map[string]any) {
	c.tables++
	rows := list(b["rows"])
	c.count(at+"/rows", len(rows), 1, 101)
	c.length(at+"/caption", text(b["caption"]), 1, 2000)
	c.total += c.cells(at, rows, 20, 20000)
}

// cells checks every row and returns the characters in all of them.
func (c *checker) cells(at string, rows []any, columns, most int) int {
	sum := 0
	for i, r := range rows {
		cells := list(r)
		p := at + "/rows/" + decimal(i)
		c.count(p, len(cells), 1, columns)
		for j, cell := range cells {
			sum += c.cell(p+"/"+decimal(j), object(cell))
		}
	}
	if sum > most {
		c.say(at+"/rows", "must be less than %d characters in all cells", most+1)
	}
	return sum
}

func (c *checker) cell(at string, cell map[string]any) int {
	switch kind := text(cell["type"]); kind {
	case "rich_text":
		return letters(cell["elements"])
	case "raw_number":
		if !numeric(cell["value"]) {
			c.say(at+"/value", "must be a number")
		}
		fallthrough // the text of a number is mandatory too
	case "raw_text":
		c.length(at+"/text", text(cell["text"]), 1, 3000)
		return utf8.RuneCountInString(text(cell["text"]))
	default:
		c.say(at+"/type", "unsupported cell type: %q", kind)
	}
	return 0
}

// chart holds the stricter of the limits that are documented for a chart.
func (c *checker) chart(at string, b map[string]any) {
	c.charts++
	if t, ok := b["title"].(string); ok {
		c.length(at+"/title", t, 1, 50)
	}
	chart := object(b["chart"])
	switch kind := text(chart["type"]); kind {
	case "pie":
		c.count(at+"/chart/segments", len(list(chart["segments"])), 1, 6)
	case "bar", "area", "line":
		c.count(at+"/chart/series", len(list(chart["series"])), 1, 6)
		for i, s := range list(chart["series"]) {
			p := at + "/chart/series/" + decimal(i)
			c.length(p+"/name", text(object(s)["name"]), 1, 20)
			c.count(p+"/data", len(list(object(s)["data"])), 1, 20)
		}
	default:
		c.say(at+"/chart/type", "unsupported chart type: %q", kind)
	}
}
