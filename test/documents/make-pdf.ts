import { createCanvas } from '@napi-rs/canvas'
import { degrees, PDFDocument, type PDFPage, StandardFonts } from 'pdf-lib'

const PAGE = { width: 595, height: 842 }

/** Makes a PDF. Places are from the upper left corner, as in what is read from it. */
export async function makePdf(draw: (pen: Pen) => void | Promise<void>): Promise<Buffer> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  let page: PDFPage | undefined
  let isTurned = false
  const current = () => (page ??= document.addPage([PAGE.width, PAGE.height]))
  // A page that is displayed turned to the right has its lower left corner at the upper left.
  const place = (x: number, y: number) => (isTurned ? { x: y, y: x } : { x, y: PAGE.height - y })
  const pen: Pen = {
    document,
    addPage: ({ turned = false } = {}) => {
      page = document.addPage([PAGE.width, PAGE.height])
      isTurned = turned
      page.setRotation(degrees(turned ? 90 : 0))
    },
    write: (text, x, y, size = 10) =>
      current().drawText(text, { ...place(x, y + size), size, font, rotate: degrees(isTurned ? 90 : 0) }),
    line: (x0, y0, x1, y1) => current().drawLine({ start: place(x0, y0), end: place(x1, y1), thickness: 0.75 }),
    picture: async (png) => {
      const image = await document.embedPng(png)
      current().drawImage(image, { x: 0, y: 0, ...PAGE })
    },
  }
  await draw(pen)
  return Buffer.from(await document.save({ useObjectStreams: false }))
}

export interface Pen {
  readonly document: PDFDocument
  /** `turned`: the page is displayed turned to the right, and what is drawn stands upright there. */
  addPage(options?: { readonly turned?: boolean }): void
  write(text: string, x: number, y: number, size?: number): void
  line(x0: number, y0: number, x1: number, y1: number): void
  /** Fills the page with a picture. */
  picture(png: Buffer): Promise<void>
}

/** Draws a table with lines around its cells. */
export function drawRuledTable(
  pen: Pen,
  cells: readonly (readonly string[])[],
  { x = 50, y = 100, width = 110, height = 22 } = {},
): void {
  const [rows, columns] = [cells.length, cells[0]?.length ?? 0]
  for (let row = 0; row <= rows; row += 1) pen.line(x, y + row * height, x + columns * width, y + row * height)
  for (let column = 0; column <= columns; column += 1)
    pen.line(x + column * width, y, x + column * width, y + rows * height)
  drawCells(pen, cells, { x: x + 5, y: y + 6, width, height })
}

export function drawCells(
  pen: Pen,
  cells: readonly (readonly string[])[],
  { x = 50, y = 100, width = 110, height = 22 } = {},
): void {
  for (const [row, texts] of cells.entries()) {
    for (const [column, text] of texts.entries()) {
      if (text !== '') pen.write(text, x + column * width, y + row * height)
    }
  }
}

/** A page as a scanner would give it. */
export function makePicture(lines: readonly string[], type: 'image/png' | 'image/jpeg' = 'image/png'): Buffer {
  const canvas = drawPage(lines)
  return type === 'image/png' ? canvas.toBuffer(type) : canvas.toBuffer(type, 90)
}

const TIFF_HEAD = 8

/** The same page in shades of grey, not compressed. */
export function makeTiff(lines: readonly string[]): Buffer {
  const canvas = drawPage(lines)
  const { width, height } = canvas
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height)
  const pixels = Buffer.from(Array.from({ length: width * height }, (_, at) => data[at * 4] ?? 0))
  // Width, height, bits, no compression, black is 0, where the pixels are, rows, their bytes.
  const fields = [
    [256, width],
    [257, height],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, TIFF_HEAD],
    [278, height],
    [279, pixels.length],
  ] as const
  const directory = Buffer.alloc(2 + fields.length * 12 + 4)
  directory.writeUInt16LE(fields.length, 0)
  for (const [at, [tag, value]] of fields.entries()) {
    directory.writeUInt16LE(tag, 2 + at * 12)
    directory.writeUInt16LE(4, 4 + at * 12)
    directory.writeUInt32LE(1, 6 + at * 12)
    directory.writeUInt32LE(value, 10 + at * 12)
  }
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1')
  head.writeUInt32LE(TIFF_HEAD + pixels.length, 4)
  return Buffer.concat([head, pixels, directory])
}

function drawPage(lines: readonly string[]) {
  const canvas = createCanvas(1240, 1754)
  const context = canvas.getContext('2d')
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = 'black'
  context.font = '40px "DejaVu Sans", Roboto, sans-serif'
  for (const [at, line] of lines.entries()) context.fillText(line, 100, 200 + at * 90)
  return canvas
}
