/** Half of a character, which no file can contain. */
export const LONE_SURROGATE = /\p{Surrogate}/gu
/** What a sheet of a spreadsheet must not contain in its name. */
const NOT_IN_SHEETS = /[\\/?*[\]:\p{Cc}]/gu
const MAX_SHEET_NAME = 31
const NOT_IN_FILES = /[\\/:*?"<>|\p{Cc}]/gu
const MAX_FILE_NAME = 80
/** Spreadsheet programs keep this name for themselves. */
const RESERVED_SHEET = /^history$/i

/** The title as the name of a sheet: at most 31 characters, without some, and not empty. */
export function toSheetName(title: string): string {
  const name = clip(
    title
      .replaceAll(LONE_SURROGATE, '')
      .replaceAll(NOT_IN_SHEETS, ' ')
      .replace(/^[\s']+/, ''),
    MAX_SHEET_NAME,
  )
  const kept = name.replace(/(?<![\s'])[\s']+$/, '')
  return kept === '' || RESERVED_SHEET.test(kept) ? 'Report' : kept
}

/** The name of a downloaded file, without its ending. */
export function toFileName(title: string, period: string | null): string {
  const name = [title, period ?? '']
    .join(' ')
    .replaceAll(LONE_SURROGATE, '')
    .replaceAll(NOT_IN_FILES, ' ')
    .replaceAll(/\s+/g, ' ')
  const kept = clip(name.replace(/^[\s.]+/, ''), MAX_FILE_NAME).replace(/(?<![\s.])[\s.]+$/, '')
  return kept === '' ? 'report' : kept
}

/** Cuts a text without cutting a character in two. */
const clip = (text: string, max: number): string => text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')
