import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type PageWords, parsePageWords, parseRecognizedPages, scaleWords } from '../knowledge/documents/page-words.ts'
import type { FoundSensitive, FoundTables, SensitiveInput, TableInput } from '../knowledge/documents/page-work.ts'
import { proposeRedactions } from '../knowledge/documents/redaction.ts'
import type { Rules, Table } from '../knowledge/tables/geometry.ts'
import { findTables } from '../knowledge/tables/page-tables.ts'
import { findRasterRules, parsePgm } from '../knowledge/tables/raster-rules.ts'

const NO_RULES: Rules = { horizontal: [], vertical: [] }
const HASH_DIGITS = 12

/** Finds the tables of some pages from the outputs of `pdftotext` and `pdftoppm`. */
export async function findDocumentTables({ words_file, first_page, pictures, mode }: TableInput): Promise<FoundTables> {
  const pages = parsePageWords(await readFile(words_file, 'utf8'), first_page)
  const tables: (Table & { readonly page: number })[] = []
  for (const { page, blocks } of pages) {
    const picture = pictures.find((one) => one.page === page)
    const rules = picture === undefined || blocks.length === 0 ? NO_RULES : await readRules(picture)
    tables.push(...findTables(blocks.flat(), rules, mode).map((table) => ({ page, ...table })))
  }
  return { tables, textless_pages: listTextless(pages) }
}

async function readRules({ file, longer_side }: TableInput['pictures'][number]): Promise<Rules> {
  const picture = parsePgm(await readFile(file))
  return picture === undefined
    ? NO_RULES
    : findRasterRules(picture, longer_side / Math.max(picture.width, picture.height))
}

/** Finds texts to redact on some pages, from their words and from the output of OCR. */
export async function findSensitiveTexts({
  words_file,
  first_page,
  recognized,
  patterns,
  key,
}: SensitiveInput): Promise<FoundSensitive> {
  const hash = (text: string): string => createHmac('sha256', key).update(text).digest('hex').slice(0, HASH_DIGITS)
  const pages = words_file === undefined ? [] : parsePageWords(await readFile(words_file, 'utf8'), first_page)
  const read: PageWords[] = []
  for (const { page, file, scale } of recognized) {
    for (const [at, { lines }] of parseRecognizedPages(await readFile(file, 'utf8')).entries()) {
      read.push({ page: page + at, blocks: lines.map((words) => scaleWords(words, scale)) })
    }
  }
  const proposals = [...pages, ...read].flatMap(({ page, blocks }) =>
    blocks.flatMap((words) => proposeRedactions(words, { page, patterns, hash })),
  )
  return { proposals, textless_pages: listTextless(pages) }
}

const listTextless = (pages: readonly PageWords[]): number[] =>
  pages.filter(({ blocks }) => blocks.length === 0).map(({ page }) => page)
