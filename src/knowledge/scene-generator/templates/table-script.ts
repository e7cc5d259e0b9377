import type { SceneDraft } from '../draft/draft.ts'
import { formatArgsPart, formatArtifactPart, formatHead, PAGE_PARTS, VALUE_PARTS } from './script-parts.ts'

/** A script that reads a table of the page. The table is found by its headings. */
export const formatTableScript = (draft: SceneDraft): string =>
  `${formatHead(draft)}
async function collect(args) {
  const answer = (parts) => toArtifact(args, parts, location.href)
  const problem = findPageProblem(document.title)
  if (problem !== undefined) return answer({ status: 'blocked', warnings: [problem] })
  const missing = listMissing(args)
  if (missing.length > 0) return answer({ status: 'error', warnings: ['Missing: ' + missing.join(', ')] })
  const page = await findDocument()
  if (page === undefined) return answer({ status: 'blocked', warnings: ['The frame of the report cannot be read.'] })
  const table = await waitFor(() => findTable(page))
  if (table === undefined) return answer({ status: 'error', warnings: ['The table with the expected headings is missing.'] })
  return answer(judgeRows(readCells(table)))
}

const readText = (cell) => cell.textContent.split(/\\s+/).filter(Boolean).join(' ')

function findTable(page) {
  const expected = COLUMNS.map(({ label }) => label).join('\\n')
  return [...page.querySelectorAll('table')].find((table) =>
    [...table.rows].some((line) => [...line.cells].map(readText).join('\\n') === expected),
  )
}

/** The rows below the headings. */
function readCells(table) {
  const lines = [...table.rows].map((line) => [...line.cells].map(readText))
  const heading = lines.findIndex((cells) => cells.join('\\n') === COLUMNS.map(({ label }) => label).join('\\n'))
  return lines.slice(heading + 1).filter((cells) => cells.some((text) => text !== ''))
}

function judgeRows(lines) {
  if (lines.length === 0) return { status: 'empty' }
  const complete = lines.filter((cells) => cells.length === COLUMNS.length)
  const { rows, warnings } = toRows(complete, (cells, column, at) => cells[at])
  const skipped = lines.length - complete.length
  if (skipped > 0) warnings.push(skipped + ' rows have another number of cells and were left out.')
  return { status: warnings.length === 0 ? 'ok' : 'partial', rows, warnings }
}
${PAGE_PARTS}${VALUE_PARTS}${formatArgsPart(draft)}${formatArtifactPart(draft)}`
