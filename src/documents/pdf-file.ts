import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PageSpan } from '@apprentice/contracts/documents/fields.ts'
import { makeFolder } from '../home/private-files.ts'
import { EngineFault } from './engine-fault.ts'
import type { ProgramRunner, WorkPlace } from './program-runner.ts'

/** A page as it is displayed, in points. */
export interface PageSize {
  readonly page: number
  readonly width: number
  readonly height: number
  readonly rotation: number
}

const INFO_TIMEOUT_MS = 20_000
const TEXT_TIMEOUT_MS = 60_000
const PICTURE_TIMEOUT_MS = 60_000
const MAX_TEXT_BYTES = 8 * 1_048_576
/** Each word has four numbers beside it. */
const MAX_WORDS_BYTES = 4 * MAX_TEXT_BYTES

/** Reads a PDF file with the programs of poppler. */
export class PdfFile {
  readonly #runner: ProgramRunner
  readonly #place: WorkPlace
  #pictures = 0

  constructor(runner: ProgramRunner, place: WorkPlace) {
    this.#runner = runner
    this.#place = place
  }

  async countPages(): Promise<number> {
    const text = await this.#runner.run(
      { program: 'pdfinfo', args: [this.#place.source], timeoutMs: INFO_TIMEOUT_MS },
      this.#place,
    )
    const pages = Number(/^Pages:\s+(\d{1,9})$/m.exec(text)?.[1] ?? 0)
    if (pages === 0) throw new EngineFault('damaged')
    return pages
  }

  async readSizes({ from, to }: PageSpan): Promise<PageSize[]> {
    const args = ['-f', String(from), '-l', String(to), this.#place.source]
    const text = await this.#runner.run({ program: 'pdfinfo', args, timeoutMs: INFO_TIMEOUT_MS }, this.#place)
    const rotations = new Map(
      [...text.matchAll(/^Page +(\d+) rot: +(\d+)$/gm)].map(([, page, rotation]) => [Number(page), Number(rotation)]),
    )
    return [...text.matchAll(/^Page +(\d+) size: +([\d.]+) x ([\d.]+) pts/gm)].map(([, number, first, second]) => {
      const page = Number(number)
      const rotation = rotations.get(page) ?? 0
      const [width, height] = rotation % 180 === 0 ? [Number(first), Number(second)] : [Number(second), Number(first)]
      return { page, width, height, rotation }
    })
  }

  /** The text of each page of a span, with its layout. */
  async readTexts({ from, to }: PageSpan): Promise<string[]> {
    const args = ['-layout', '-enc', 'UTF-8', '-f', String(from), '-l', String(to)]
    const text = await readBounded(await this.#writeText('text.txt', args))
    // Each page ends with a form feed, and a page of hostile fonts may contain others.
    const pages = text.split('\f').slice(0, -1)
    if (pages.length === to - from + 1) return pages
    if (from === to) return [text.replaceAll('\f', '\n')]
    const each: string[] = []
    for (let page = from; page <= to; page += 1) each.push(...(await this.readTexts({ from: page, to: page })))
    return each
  }

  /** Writes the words with their boxes to a file. Returns its path. */
  async writeWords({ from, to }: PageSpan): Promise<string> {
    const file = await this.#writeText('words.html', [
      '-bbox-layout',
      '-enc',
      'UTF-8',
      '-f',
      String(from),
      '-l',
      String(to),
    ])
    await assertBounded(file, MAX_WORDS_BYTES)
    return file
  }

  /** Draws pages in gray, each with this many points on its longer side. Returns the files by page. */
  async drawPages({ from, to }: PageSpan, { points, format }: { points: number; format: 'pgm' | 'png' }) {
    this.#pictures += 1
    const folder = join(this.#place.folder.path, `pictures-${this.#pictures}`)
    await makeFolder(folder)
    const size = ['-gray', '-scale-to', String(points), ...(format === 'png' ? ['-png'] : [])]
    const args = [...size, '-f', String(from), '-l', String(to), this.#place.source, join(folder, 'page')]
    await this.#runner.run({ program: 'pdftoppm', args, timeoutMs: PICTURE_TIMEOUT_MS }, this.#place)
    const files = new Map<number, string>()
    for (const name of await readdir(folder)) {
      const page = Number(/-(\d+)\.(?:pgm|png)$/.exec(name)?.[1] ?? 0)
      if (page > 0) files.set(page, join(folder, name))
    }
    return { files, remove: () => rm(folder, { recursive: true, force: true }) }
  }

  async #writeText(name: string, args: readonly string[]): Promise<string> {
    const file = join(this.#place.folder.path, name)
    await this.#runner.run(
      { program: 'pdftotext', args: [...args, this.#place.source, file], timeoutMs: TEXT_TIMEOUT_MS },
      this.#place,
    )
    return file
  }
}

async function assertBounded(file: string, most: number): Promise<void> {
  if ((await stat(file)).size > most) throw new EngineFault('output_limit')
}

async function readBounded(file: string): Promise<string> {
  await assertBounded(file, MAX_TEXT_BYTES)
  return readFile(file, 'utf8')
}
