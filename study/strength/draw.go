package strength

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"tiro/study/ladder"
)

// Size of a picture.
const (
	panelWidth = 5.2 * vg.Inch
	height     = 4.2 * vg.Inch
)

// colours are those of runs (Okabe and Ito 2008, "Color Universal Design").
var colours = []color.NRGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255}, {230, 159, 0, 255}}

// Draw writes a picture of the runs in a report, as "svg" or "png": ratings with 95%
// error bands against the CPU time of the training, if that is known, and against its
// games of self-play. The other players are lines across. It fails if the report has
// no rated checkpoint.
func Draw(w io.Writer, format string, report *ladder.Report) error {
	curves := Curves(report)
	if len(curves) == 0 {
		return errors.New("strength: no checkpoint of a run has a rating; want a run to draw")
	}
	panels := []panel{
		{"CPU-hours of training", func(p Point) float64 { return p.CPUHours }},
		{"games of self-play", func(p Point) float64 { return p.Games }},
	}
	for i := range curves {
		if !curves[i].Timed() {
			panels = panels[1:]
			break
		}
	}
	canvas, err := newCanvas(panelWidth*vg.Length(len(panels)), format)
	if err != nil {
		return err
	}
	plots := [][]*plot.Plot{nil}
	for _, panel := range panels {
		p, err := panel.plot(report, curves)
		if err != nil {
			return fmt.Errorf("strength: %w", err)
		}
		plots[0] = append(plots[0], p)
	}
	tiles := draw.Tiles{Rows: 1, Cols: len(panels), PadX: vg.Points(12), PadTop: vg.Points(8), PadBottom: vg.Points(8), PadLeft: vg.Points(8), PadRight: vg.Points(12)}
	for i, c := range plot.Align(plots, tiles, draw.New(canvas))[0] {
		plots[0][i].Draw(c)
	}
	_, err = canvas.WriteTo(w)
	return err
}

// newCanvas returns a canvas of a width.
func newCanvas(width vg.Length, format string) (vg.CanvasWriterTo, error) {
	switch format {
	case "svg":
		return vgsvg.New(width, height), nil
	case "png":
		const dpi = 150
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}, nil
	}
	return nil, fmt.Errorf("strength: format %q; want svg or png", format)
}

// panel is one of the diagrams of a picture.
type panel struct {
	label string
	cost  func(Point) float64
}

// plot returns the diagram.
func (d panel) plot(report *ladder.Report, curves []Curve) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = report.Game
	p.X.Label.Text = d.label
	p.Y.Label.Text = "Elo above " + report.Anchor + ", 95%"
	p.Legend.Top, p.Legend.Left = false, false
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{230}, color.Gray{230}
	p.Add(grid)
	most := 0.0
	for i, c := range curves {
		if err := d.add(p, c, colours[i%len(colours)], len(curves) > 1); err != nil {
			return nil, err
		}
		most = max(most, d.cost(c.Points[len(c.Points)-1]))
	}
	p.X.Min, p.X.Max = 0, max(most, 1e-9)
	for _, l := range Levels(report) {
		if err := addLevel(p, l, p.X.Max); err != nil {
			return nil, err
		}
	}
	p.X.Tick.Marker = ticks(6)
	p.Y.Tick.Marker = ticks(8)
	return p, nil
}

// add adds the curve of a run with its error band.
func (d panel) add(p *plot.Plot, c Curve, colour color.NRGBA, named bool) error {
	n := len(c.Points)
	band, line := make(plotter.XYs, 2*n), make(plotter.XYs, n)
	for i, point := range c.Points {
		x := d.cost(point)
		line[i] = plotter.XY{X: x, Y: point.Elo}
		band[i] = plotter.XY{X: x, Y: point.Elo + point.Error}
		band[2*n-1-i] = plotter.XY{X: x, Y: point.Elo - point.Error}
	}
	area, err := plotter.NewPolygon(band)
	if err != nil {
		return err
	}
	pale := colour
	pale.A = 60
	area.Color, area.LineStyle.Width = pale, 0
	drawn, dots, err := plotter.NewLinePoints(line)
	if err != nil {
		return err
	}
	drawn.Color, drawn.Width = colour, vg.Points(1.5)
	dots.Color, dots.Shape, dots.Radius = colour, draw.CircleGlyph{}, vg.Points(2)
	p.Add(area, drawn, dots)
	if named {
		p.Legend.Add(c.Run, drawn)
	}
	return nil
}

// addLevel adds a line across for a player, with its name.
func addLevel(p *plot.Plot, l Level, width float64) error {
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: l.Elo}, {X: width, Y: l.Elo}})
	if err != nil {
		return err
	}
	line.Color, line.Width, line.Dashes = color.Gray{150}, vg.Points(0.7), []vg.Length{vg.Points(4), vg.Points(3)}
	if !l.Reference {
		line.Color = color.Gray{60}
	}
	names, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: width, Y: l.Elo}}, Labels: []string{l.Name}})
	if err != nil {
		return err
	}
	names.Offset.Y = vg.Points(1.5)
	style := &names.TextStyle[0]
	style.Color, style.XAlign, style.YAlign = line.Color, draw.XRight, draw.YBottom
	style.Font.Size = vg.Points(8)
	p.Add(line, names)
	return nil
}

// ticks has an axis marked at about so many round numbers.
type ticks int

// Ticks implements plot.Ticker.
func (n ticks) Ticks(low, high float64) (all []plot.Tick) {
	for _, x := range Ticks(low, high, int(n)) {
		all = append(all, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'g', 6, 64)})
	}
	return all
}

var _ plot.Ticker = ticks(0)
