import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseLanguages } from '../knowledge/documents/languages.ts'
import { parseRecognizedPages, type RecognizedPage } from '../knowledge/documents/page-words.ts'
import { EngineFault } from './engine-fault.ts'
import type { PdfFile, PageSize } from './pdf-file.ts'
import type { ProgramRunner, WorkPlace } from './program-runner.ts'

/** What OCR read on a page, with the factor from points of the picture to those of the page. */
export interface ReadPage extends RecognizedPage {
  readonly page: number
  readonly scale: number
  /** The file with the output of OCR, if it is of this page alone. */
  readonly file: string
}

const OCR_TIMEOUT_MS = 120_000
const LIST_TIMEOUT_MS = 10_000
const DOTS_PER_INCH = 300
const POINTS_PER_INCH = 72
/** On the longer side of a drawn page. */
const MAX_POINTS = 5000
const MIN_POINTS = 600
const MAX_PICTURE_POINTS = 100_000_000
const MAX_TSV_BYTES = 4 * 1_048_576

export async function listLanguages(runner: ProgramRunner, place: WorkPlace): Promise<string[]> {
  const args = ['--list-langs']
  return parseLanguages(await runner.run({ program: 'tesseract', args, timeoutMs: LIST_TIMEOUT_MS }, place))
}

/** Reads text in pictures with tesseract. */
export class TextRecognition {
  readonly #runner: ProgramRunner
  readonly #place: WorkPlace
  readonly #languages: readonly string[]
  #count = 0

  constructor(runner: ProgramRunner, place: WorkPlace, languages: readonly string[]) {
    this.#runner = runner
    this.#place = place
    this.#languages = languages
  }

  /** Reads one page of a PDF file. The picture is removed. */
  async readPage(pdf: PdfFile, { page, width, height }: PageSize): Promise<ReadPage> {
    const longer = Math.max(width, height)
    const points = Math.min(MAX_POINTS, Math.max(MIN_POINTS, Math.ceil((longer / POINTS_PER_INCH) * DOTS_PER_INCH)))
    const { files, remove } = await pdf.drawPages({ from: page, to: page }, { points, format: 'png' })
    const picture = files.get(page)
    if (picture === undefined) throw new EngineFault('damaged')
    const { pages, file } = await this.#read(picture)
    await remove()
    const [read = { width: points, height: points, lines: [] }] = pages
    return { ...read, page, scale: longer / Math.max(read.width, read.height, 1), file }
  }

  /** Reads a picture, which may have several pages. */
  async readPicture(): Promise<ReadPage[]> {
    await assertPictureSize(this.#place.source)
    const { pages, file } = await this.#read(this.#place.source)
    return pages.map((page, at) => ({ ...page, page: at + 1, scale: 1, file }))
  }

  async #read(picture: string): Promise<{ pages: RecognizedPage[]; file: string }> {
    this.#count += 1
    const output = join(this.#place.folder.path, `words-${this.#count}`)
    const args = [picture, output, '-l', this.#languages.join('+'), 'tsv']
    await this.#runner.run({ program: 'tesseract', args, timeoutMs: OCR_TIMEOUT_MS }, this.#place)
    const file = `${output}.tsv`
    const text = await readFile(file, 'utf8')
    if (text.length > MAX_TSV_BYTES) throw new EngineFault('output_limit')
    return { pages: parseRecognizedPages(text), file }
  }
}

const PNG_HEAD_BYTES = 24
const WIDTH_AT = 16
const HEIGHT_AT = 20

/** A small PNG file can hold a picture that fills the memory. Other formats are stopped by the limit on memory. */
async function assertPictureSize(file: string): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of createReadStream(file, { end: PNG_HEAD_BYTES - 1 })) pieces.push(piece as Buffer)
  const head = Buffer.concat(pieces)
  if (head.length < PNG_HEAD_BYTES || head.toString('latin1', 1, 4) !== 'PNG') return
  if (head.readUInt32BE(WIDTH_AT) * head.readUInt32BE(HEIGHT_AT) > MAX_PICTURE_POINTS) {
    throw new EngineFault('picture_too_large')
  }
}
