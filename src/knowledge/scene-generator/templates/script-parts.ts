import type { SceneDraft } from '../draft/draft.ts'

/** Parts that all generated scripts have. */

export const toCode = (value: unknown): string => JSON.stringify(value, null, 2)

export function formatHead({ routing, source, analysis }: SceneDraft): string {
  const columns = (source?.columns ?? []).map(({ key, field, label, type }) => ({
    key,
    ...(field !== undefined && { field }),
    label,
    type,
  }))
  return `const TITLE = ${JSON.stringify(routing.title)}
const TITLE_KEYWORDS = ${JSON.stringify(routing.page_title_keywords)}
const FRAME = ${JSON.stringify(analysis.frame?.selector ?? null)}
const WAIT_MS = 15000
const COLUMNS = ${toCode(columns)}
`
}

export const PAGE_PARTS = `
/** The document that holds the report: that of the page, or of the frame in it. */
async function findDocument() {
  if (FRAME === null) return document
  return await waitFor(() => {
    const frame = document.querySelector(FRAME)
    const inner = frame === null ? null : frame.contentDocument
    return inner !== null && inner.readyState === 'complete' && inner.URL !== 'about:blank' ? inner : undefined
  })
}

function findPageProblem(title) {
  if (TITLE_KEYWORDS.length === 0 || TITLE_KEYWORDS.some((word) => title.includes(word))) return undefined
  return 'The title of the page is "' + title + '".'
}

/** The first value that is not undefined; undefined when time is up. Pages change at any time, so it looks again. */
function waitFor(find) {
  const until = Date.now() + WAIT_MS
  return new Promise((resolve) => {
    const look = () => {
      const found = find()
      if (found !== undefined || Date.now() > until) resolve(found)
      else setTimeout(look, 50)
    }
    look()
  })
}
`

export const VALUE_PARTS = `
/** Rows of typed cells. A value that does not fit the type of its column becomes null, and is counted. */
function toRows(items, read) {
  const misfits = new Map()
  const rows = items.map((item) =>
    Object.fromEntries(
      COLUMNS.map((column, at) => {
        const value = read(item, column, at)
        const cell = toCell(value, column.type)
        if (cell === null && !isNone(value)) misfits.set(column.label, (misfits.get(column.label) || 0) + 1)
        return [column.key, cell]
      }),
    ),
  )
  return { rows, warnings: [...misfits].map(([label, count]) => count + ' values of ' + label + ' do not fit its type.') }
}

const isNone = (value) => value === undefined || value === null || value === '' || value === '-'

function toCell(value, type) {
  if (isNone(value)) return null
  if (type === 'number' || type === 'percent') return toNumber(value)
  if (type === 'boolean') return typeof value === 'boolean' ? value : ['1', 'true', '是', 'yes'].includes(String(value))
  if (type === 'date') return /^\\d{4}-\\d{2}-\\d{2}$/.test(value) ? value : null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function toNumber(value) {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  const text = String(value).replaceAll(',', '').replace('%', '').trim()
  return text === '' || Number.isNaN(Number(text)) ? null : Number(text)
}
`

/** The period of the report: the label of a period, or a day. */
export function formatArtifactPart({ params }: SceneDraft): string {
  const period = params.find(({ resolver }) => resolver === 'month_week_period')
  const day = params.find(({ resolver, values }) => resolver === 'literal_passthrough' && values.size === 1)
  const code = period === undefined ? (day === undefined ? 'null' : `args.${day.name}`) : `args.${period.name}.label`
  return `
function toArtifact(args, { status, rows = [], warnings = [] }, url) {
  return {
    type: 'report-artifact',
    status,
    title: TITLE,
    period: ${code},
    columns: COLUMNS.map(({ key, label, type }) => ({ key, label, type })),
    rows,
    warnings,
    source: { url, collected_at: new Date().toISOString() },
  }
}
`
}

/** The arguments that must be there. The platform resolves them; a page never fills them in. */
export function formatArgsPart({ params }: SceneDraft): string {
  const names = params.flatMap(({ example_args }) => Object.keys(example_args))
  return `
const REQUIRED_ARGS = ${JSON.stringify(names)}

const listMissing = (args) => REQUIRED_ARGS.filter((name) => args[name] === undefined || args[name] === null || args[name] === '')
`
}
