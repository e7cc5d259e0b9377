import type { BoundValue } from '../draft/bind-params.ts'
import type { ReportSource } from '../draft/choose-source.ts'
import type { SceneDraft } from '../draft/draft.ts'
import { formatArgsPart, formatArtifactPart, formatHead, PAGE_PARTS, VALUE_PARTS } from './script-parts.ts'

type RequestSource = Extract<ReportSource, { kind: 'request' }>

/** A script that sends the request of the page with the given arguments. */
export function formatRequestScript(draft: SceneDraft, source: RequestSource): string {
  const { request } = source
  const paged = request.parameters.some(({ role }) => role === 'page')
  return `${formatHead(draft)}const ROWS_PATH = ${JSON.stringify(splitPath(source.rows_path))}
const TOTAL_PATH = ${JSON.stringify(request.total_path === undefined ? null : splitPath(request.total_path))}
const FIRST_PAGE = ${findFirstPage(request)}
const IS_PAGED = ${paged}
const PAGE_SIZE = ${findPageSize(draft.values)}
const MAX_PAGES = 500

${COLLECT_PART}${formatToRequest(draft, source)}${ANSWER_PART}${PAGE_PARTS}${VALUE_PARTS}${formatArgsPart(draft)}${formatArtifactPart(draft)}`
}

const COLLECT_PART = `async function collect(args) {
  const answer = (parts) => toArtifact(args, parts, location.href)
  const problem = findPageProblem(document.title)
  if (problem !== undefined) return answer({ status: 'blocked', warnings: [problem] })
  const missing = listMissing(args)
  if (missing.length > 0) return answer({ status: 'error', warnings: ['Missing: ' + missing.join(', ')] })
  const page = await findDocument()
  if (page === undefined) return answer({ status: 'blocked', warnings: ['The frame of the report cannot be read.'] })
  return answer(await readAll(args, page.baseURI))
}

/** Reads all pages of the answer. */
async function readAll(args, base) {
  const items = []
  let total = null
  for (let at = 0; at < (IS_PAGED ? MAX_PAGES : 1); at += 1) {
    const { url, init } = toRequest(args, FIRST_PAGE + at)
    const read = await fetch(new URL(url, base), init).then(
      async (response) => readAnswer(response.status, await response.text()),
      (error) => ({ status: 'error', warnings: ['The system cannot be reached: ' + error.message] }),
    )
    if (read.status !== undefined) return items.length === 0 ? read : judgeRows(items, total, read.warnings)
    items.push(...read.items)
    total = read.total
    if (read.items.length === 0 || (PAGE_SIZE !== null && read.items.length < PAGE_SIZE)) break
    if (total !== null && items.length >= total) break
  }
  return judgeRows(items, total)
}
`

const ANSWER_PART = `
/** The rows of one answer, or the status that it means. */
function readAnswer(httpStatus, text) {
  if (httpStatus === 401 || httpStatus === 403) return { status: 'blocked', warnings: ['The page needs a login (' + httpStatus + ').'] }
  if (httpStatus < 200 || httpStatus > 299) return { status: 'error', warnings: ['The system answered ' + httpStatus + '.'] }
  let answer
  try {
    answer = JSON.parse(text)
  } catch {
    return { status: 'blocked', warnings: ['The answer is not JSON. The session may have ended.'] }
  }
  const items = readAt(answer, ROWS_PATH)
  if (!Array.isArray(items)) return { status: 'error', warnings: ['The answer has no rows at ' + (ROWS_PATH.join('.') || 'its top') + '.'] }
  const total = TOTAL_PATH === null ? null : toNumber(readAt(answer, TOTAL_PATH) ?? '')
  return { items, total }
}

const readAt = (value, path) => path.reduce((inner, key) => (inner === undefined || inner === null ? undefined : inner[key]), value)

function judgeRows(items, total, problems = []) {
  if (items.length === 0 && !(total > 0)) return { status: 'empty' }
  const { rows, warnings: misfits } = toRows(items, (item, { field }) => readAt(item, field.split('.')))
  const absent = rows.length === 0 ? [] : COLUMNS.filter(({ field }) => items.every((item) => readAt(item, field.split('.')) === undefined))
  const warnings = [...problems, ...misfits, ...absent.map(({ label }) => 'No row has a value for ' + label + '.')]
  if (total !== null && total !== rows.length) warnings.push('The system states ' + total + ' rows, and ' + rows.length + ' were read.')
  return { status: warnings.length === 0 ? 'ok' : 'partial', rows, warnings }
}

/** What the page keeps of its session. Absent values are left out of the request. */
function readState(read) {
  try {
    return read() ?? undefined
  } catch {
    return undefined
  }
}
`

const splitPath = (path: string): string[] => (path === '' ? [] : path.split('.'))

function findFirstPage({ parameters }: RequestSource['request']): number {
  const page = parameters.find(({ role }) => role === 'page')
  return page?.source.kind === 'constant' && page.source.value === '0' ? 0 : 1
}

function findPageSize(values: readonly BoundValue[]): string {
  const size = values.find(({ parameter }) => parameter.role === 'page_size')?.example
  return size !== undefined && Number.isInteger(Number(size)) && Number(size) > 0 ? size : 'null'
}

function formatToRequest({ values }: SceneDraft, { request }: RequestSource): string {
  const at = (place: string): BoundValue[] => values.filter(({ parameter }) => parameter.in === place)
  const toEntries = (list: readonly BoundValue[]): string =>
    list.map(({ parameter: { name }, code }) => `    [${JSON.stringify(name)}, ${code}],`).join('\n')
  const path = `[${splitTemplate(request.url, at('path')).join(', ')}].join('')`
  const headers = [...at('header')].filter(({ parameter }) => parameter.name.toLowerCase() !== 'content-type')
  return `
/** The request that the page sends, for these arguments. */
function toRequest(args, page) {
  const query = ${formatEntries(toEntries(at('query')))}
  const headers = Object.fromEntries([
    ['Accept', 'application/json'],
${formatHeaders(request)}${toEntries(headers)}
  ].filter(([, value]) => value !== undefined))
  const path = ${path}
  const url = query.length === 0 ? path : path + '?' + new URLSearchParams(query)
  return { url, init: { method: ${JSON.stringify(request.method)}, headers${formatBody(request, toEntries(at('body')))} } }
}
`
}

/** Values that the page does not have are left out. */
const formatEntries = (entries: string): string =>
  entries === '' ? '[]' : `[\n${entries}\n  ].filter(([, value]) => value !== undefined)`

function formatHeaders({ body, api }: RequestSource['request']): string {
  const lines = [
    ...(body === 'json' ? ["    ['Content-Type', 'application/json'],"] : []),
    ...(body === 'form' ? ["    ['Content-Type', 'application/x-www-form-urlencoded; charset=UTF-8'],"] : []),
    ...(api === 'jquery' || api === 'grid' ? ["    ['X-Requested-With', 'XMLHttpRequest'],"] : []),
  ]
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

function formatBody({ body }: RequestSource['request'], entries: string): string {
  const list = formatEntries(entries)
  if (body === 'json') return `, body: JSON.stringify(Object.fromEntries(${list}))`
  return body === 'form' ? `, body: String(new URLSearchParams(${list}))` : ''
}

/** The pieces of a path as code: texts, and values that are encoded. */
export function splitTemplate(url: string, values: readonly BoundValue[]): string[] {
  let rest = url
  const pieces: string[] = []
  for (const { parameter, code } of values) {
    const mark = `{${parameter.name}}`
    const from = rest.indexOf(mark)
    if (from === -1) continue
    pieces.push(JSON.stringify(rest.slice(0, from)), `encodeURIComponent(${code})`)
    rest = rest.slice(from + mark.length)
  }
  return rest === '' ? pieces : [...pieces, JSON.stringify(rest)]
}
