import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PageSpan } from '@apprentice/contracts/documents/fields.ts'
import { chooseLanguages } from '../knowledge/documents/languages.ts'
import { cleanText, formatRecognizedText, scaleWords } from '../knowledge/documents/page-words.ts'
import type { FoundTables } from '../knowledge/documents/page-work.ts'
import type { RedactionProposal } from '../knowledge/documents/redaction.ts'
import { formatCsv } from '../knowledge/tables/csv.ts'
import { roundBox } from '../knowledge/tables/geometry.ts'
import { EngineFault } from './engine-fault.ts'
import { type OperationInput, type OperationResult, type PageWorker, splitSpans } from './operation-input.ts'
import { choosePages } from './page-choice.ts'
import { type PageSize, PdfFile } from './pdf-file.ts'
import type { ProgramRunner, WorkPlace } from './program-runner.ts'
import { joinPieces, type PrintedResult, printResult, separateTexts } from './printed-result.ts'
import { type ReadPage, TextRecognition } from './text-recognition.ts'

/** How many pages one operation reads at most. OCR takes seconds for a page. */
const MOST_PAGES = { extract_text: 5000, extract_tables: 300, ocr: 150, redaction_prep: 1000 } as const
const MOST_RECOGNIZED_PAGES = 150
const TEXT_PART = 100
const WORDS_PART = 25
const PICTURE_PART = 10
/** On the longer side: twice the points of an A4 page. Lines of half a point are then one point wide. */
const RULE_POINTS = 1684
/** A text of more characters would be no use to anybody. */
const MOST_CHARACTERS = 16 * 1_048_576
/** So many are cleaned in one turn of the event loop. */
const TURN_CHARACTERS = 500_000
const MOST_TABLES = 2000
const MOST_PROPOSALS = 20_000
const PLACE_OF_TEXT = /\S/

/** Reads one document for one operation. */
export class DocumentOperation {
  readonly #input: OperationInput
  readonly #place: WorkPlace
  readonly #worker: PageWorker
  readonly #pdf: PdfFile
  readonly #recognition: TextRecognition | undefined
  readonly #warnings = new Set<string>()
  readonly #languages: readonly string[]
  #recognized = 0
  #cleaned = 0

  constructor(
    input: OperationInput,
    place: WorkPlace,
    deps: { runner: ProgramRunner; worker: PageWorker; ocr_languages: readonly string[] },
  ) {
    this.#input = input
    this.#place = place
    this.#worker = deps.worker
    this.#pdf = new PdfFile(deps.runner, place)
    const { languages, isHintIgnored } = chooseLanguages(input.language_hint, deps.ocr_languages)
    if (isHintIgnored) this.#warnings.add('OCR_LANGUAGE_UNAVAILABLE')
    this.#languages = languages
    this.#recognition = languages.length === 0 ? undefined : new TextRecognition(deps.runner, place, languages)
  }

  async run(): Promise<OperationResult> {
    switch (this.#input.capability) {
      case 'extract_text':
        return this.#extractText()
      case 'extract_tables':
        return this.#extractTables()
      case 'ocr':
        return this.#recognizeText()
      case 'redaction_prep':
        return this.#prepareRedaction()
    }
  }

  get #isPdf(): boolean {
    return this.#input.media_type === 'application/pdf'
  }

  async #choosePages(): Promise<readonly PageSpan[]> {
    const { page_range, capability } = this.#input
    const { spans, warning_codes } = choosePages(page_range, await this.#pdf.countPages(), MOST_PAGES[capability])
    for (const code of warning_codes) this.#warnings.add(code)
    return spans
  }

  async #extractText(): Promise<OperationResult> {
    const { ocr_fallback } = this.#input
    if (ocr_fallback && this.#recognition === undefined) this.#warnings.add('OCR_FALLBACK_UNAVAILABLE')
    const pages = this.#isPdf ? await this.#readTextLayer() : [{ page: 1, text: '', from: 'none' }]
    const empty = pages.filter(({ text }) => !PLACE_OF_TEXT.test(text))
    if (empty.length > 0 && ocr_fallback && this.#recognition !== undefined) {
      const read = await this.#recognizePages(empty.map(({ page }) => page))
      for (const { page, ...found } of read) {
        const at = pages.findIndex((one) => one.page === page)
        pages[at < 0 ? pages.length : at] = { page, text: formatRecognizedText({ ...found }), from: 'ocr' }
      }
    }
    if (pages.some(({ text }) => !PLACE_OF_TEXT.test(text))) this.#warnings.add('PAGE_WITHOUT_TEXT')
    return this.#finish('document_text', { list: { name: 'pages', items: pages } }, { plain: printTexts(pages) })
  }

  async #readTextLayer(): Promise<{ page: number; text: string; from: string }[]> {
    const pages: { page: number; text: string; from: string }[] = []
    let size = 0
    for (const span of splitSpans(await this.#choosePages(), TEXT_PART)) {
      for (const [at, raw] of (await this.#pdf.readTexts(span)).entries()) {
        const text = await this.#cleanPage(raw)
        size += text.length
        pages.push({ page: span.from + at, text, from: PLACE_OF_TEXT.test(text) ? 'text_layer' : 'none' })
      }
      if (size > MOST_CHARACTERS) throw new EngineFault('output_limit')
    }
    return pages
  }

  /** After many characters other work has its turn. */
  async #cleanPage(raw: string): Promise<string> {
    const lines: string[] = []
    for (const line of raw.split('\n')) {
      lines.push(cleanText(line))
      this.#cleaned += line.length + 1
      if (this.#cleaned < TURN_CHARACTERS) continue
      this.#cleaned = 0
      await nextTurn()
    }
    return lines.join('\n').trimEnd()
  }

  async #extractTables(): Promise<OperationResult> {
    const tables: FoundTables['tables'][number][] = []
    if (!this.#isPdf) this.#warnings.add('PAGE_WITHOUT_TEXT')
    const spans = this.#isPdf ? await this.#choosePages() : []
    for (const span of splitSpans(spans, PICTURE_PART)) {
      const found = await this.#findTables(span)
      tables.push(...found.tables)
      if (found.textless_pages.length > 0) this.#warnings.add('PAGE_WITHOUT_TEXT')
      if (tables.length > MOST_TABLES) {
        this.#warnings.add('RESULT_LIMITED')
        break
      }
    }
    const kept = tables.slice(0, MOST_TABLES)
    if (kept.length === 0) this.#warnings.add('NO_TABLES_FOUND')
    const { table_mode } = this.#input
    return this.#finish(
      'document_tables',
      { table_mode, list: { name: 'tables', items: listTables(kept) } },
      { csv: separateTexts(kept, '\r\n', ({ cells }) => formatCsv([cells])) },
    )
  }

  async #findTables(span: PageSpan): Promise<FoundTables> {
    const { table_mode } = this.#input
    const words_file = await this.#pdf.writeWords(span)
    const sizes = await this.#pdf.readSizes(span)
    const needsRules = table_mode !== 'layout_preserving'
    const drawn = needsRules ? await this.#pdf.drawPages(span, { points: RULE_POINTS, format: 'pgm' }) : undefined
    const pictures = sizes.flatMap(({ page, width, height }) => {
      const file = drawn?.files.get(page)
      return file === undefined ? [] : [{ page, file, longer_side: Math.max(width, height) }]
    })
    const input = { words_file, first_page: span.from, pictures, mode: table_mode }
    const found = await this.#worker.findTables(input, this.#place.signal)
    await drawn?.remove()
    return found
  }

  async #recognizeText(): Promise<OperationResult> {
    const pages = this.#isPdf
      ? await this.#recognizePages(listPages(await this.#choosePages()))
      : await this.#recognizePages([])
    const unit = this.#isPdf ? 'pt' : 'px'
    if (pages.some(({ lines }) => lines.flat().length === 0)) this.#warnings.add('PAGE_WITHOUT_TEXT')
    const list = { name: 'pages', items: listRecognized(pages, unit) }
    const plain = separateTexts(pages, '\f', formatRecognizedText)
    return this.#finish('document_ocr', { languages: this.#languages, list }, { plain })
  }

  /** Reads pages of a PDF, or all pages of a picture. */
  async #recognizePages(pages: readonly number[]): Promise<ReadPage[]> {
    const recognition = this.#recognition
    if (recognition === undefined) throw new EngineFault('program_missing')
    if (!this.#isPdf) return (await recognition.readPicture()).filter(({ page }) => this.#isAsked(page))
    const read: ReadPage[] = []
    for (const page of pages) {
      if (this.#recognized >= MOST_RECOGNIZED_PAGES) {
        this.#warnings.add('OCR_PAGE_LIMIT_REACHED')
        break
      }
      this.#recognized += 1
      const [size] = await this.#pdf.readSizes({ from: page, to: page })
      if (size !== undefined) read.push(await recognition.readPage(this.#pdf, size))
    }
    return read
  }

  #isAsked(page: number): boolean {
    const { page_range } = this.#input
    if (page_range === undefined) return true
    return choosePages(page_range, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).spans.some(
      ({ from, to }) => page >= from && page <= to,
    )
  }

  async #prepareRedaction(): Promise<OperationResult> {
    const key = randomBytes(16).toString('hex')
    const proposals: RedactionProposal[] = []
    const sizes: PageSize[] = []
    if (!this.#isPdf) proposals.push(...(await this.#searchPictures([], key)))
    else {
      for (const span of splitSpans(await this.#choosePages(), WORDS_PART)) {
        sizes.push(...(await this.#pdf.readSizes(span)))
        const words_file = await this.#pdf.writeWords(span)
        const found = await this.#search({ words_file, first_page: span.from, recognized: [] }, key)
        proposals.push(...found.proposals, ...(await this.#searchPictures(found.textless_pages, key)))
        if (proposals.length > MOST_PROPOSALS) {
          this.#warnings.add('RESULT_LIMITED')
          break
        }
      }
    }
    const { pattern_set } = this.#input
    const kinds = [...new Set(pattern_set.map((pattern) => pattern.replace(/:.*$/s, '')))]
    const sorted = proposals.slice(0, MOST_PROPOSALS).toSorted((a, b) => a.page - b.page)
    const unit = this.#isPdf ? 'pt' : 'px'
    const list = { name: 'proposals', items: sorted }
    return this.#finish('redaction_proposal', { unit, searched_for: kinds, pages: sizes, list }, {})
  }

  /** Searches pages that are pictures. Without OCR a warning says that they were not searched. */
  async #searchPictures(pages: readonly number[], key: string): Promise<readonly RedactionProposal[]> {
    if (this.#isPdf && pages.length === 0) return []
    if (this.#recognition === undefined) {
      this.#warnings.add('PAGE_NOT_SEARCHED')
      return []
    }
    const read = await this.#recognizePages(pages)
    if (this.#isPdf && read.length < pages.length) this.#warnings.add('PAGE_NOT_SEARCHED')
    this.#warnings.add('OCR_USED')
    const recognized = read.map(({ page, file, scale }) => ({ page, file, scale }))
    const files = this.#isPdf ? recognized : recognized.slice(0, 1).map((one) => ({ ...one, page: 1 }))
    const found = (await this.#search({ first_page: 1, recognized: files }, key)).proposals
    return this.#isPdf ? found : found.filter(({ page }) => this.#isAsked(page))
  }

  #search(
    where: Pick<Parameters<PageWorker['findSensitive']>[0], 'words_file' | 'first_page' | 'recognized'>,
    key: string,
  ) {
    return this.#worker.findSensitive({ ...where, patterns: this.#input.pattern_set, key }, this.#place.signal)
  }

  #finish(
    kind: string,
    { list, ...content }: Pick<PrintedResult, 'list'> & Readonly<Record<string, unknown>>,
    { plain, csv }: { plain?: Iterable<string>; csv?: Iterable<string> },
  ): OperationResult {
    const { document_ref, content_hash_sha256, capability } = this.#input
    const source = { document_ref, content_hash_sha256 }
    const warning_codes = [...this.#warnings]
    const json = printResult({ head: { kind, source, ...content }, list, tail: { warning_codes, schema_version: 1 } })
    const outputs = [
      { media_type: 'application/json' as const, end: 'json', pieces: json },
      ...(plain === undefined ? [] : [{ media_type: 'text/plain' as const, end: 'txt', pieces: plain }]),
      ...(csv === undefined ? [] : [{ media_type: 'text/csv' as const, end: 'csv', pieces: csv }]),
    ]
    return {
      warning_codes,
      outputs: outputs.map(({ media_type, end, pieces }) => ({
        media_type,
        suffix: `.${capability}.${end}`,
        pieces: joinPieces(pieces),
      })),
    }
  }
}

const listPages = (spans: readonly PageSpan[]): number[] =>
  spans.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at))

const printTexts = (pages: readonly { readonly text: string }[]): Generator<string> =>
  separateTexts(pages, '\f', ({ text }) => text)

function* listTables(tables: FoundTables['tables']): Generator<object> {
  for (const [at, { page, box, cells, ...more }] of tables.entries()) {
    yield { table: at + 1, page, ...more, box: roundBox(box), cells }
  }
}

function* listRecognized(pages: readonly ReadPage[], unit: 'pt' | 'px'): Generator<object> {
  for (const read of pages) {
    const words = scaleWords(read.lines.flat(), read.scale).map(({ text, confidence, ...box }) => ({
      text,
      box: roundBox(box),
      confidence: Math.round(confidence),
    }))
    const { page, width, height, scale } = read
    const size = roundBox({ x0: 0, y0: 0, x1: width * scale, y1: height * scale })
    yield { page, width: size.x1, height: size.y1, unit, text: formatRecognizedText(read), words }
  }
}
