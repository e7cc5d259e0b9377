import type { SceneExportHint, SceneTable } from '@apprentice/contracts/scenes/analysis.ts'
import { SCENARIO_LIMITS } from '../source/scenario.ts'
import {
  describeElement,
  isElement,
  listByTag,
  listElements,
  locate,
  type PageElement,
  readAttribute,
  readText,
  toSelector,
} from './page-tree.ts'
import type { PageReading } from './read-page.ts'

const SAMPLE_ROWS = 3

/** The tables of a page that have headings, and the columns that component libraries declare as elements. */
export function listTables({ file, elements }: PageReading): SceneTable[] {
  const tables = listByTag(elements, 'table').flatMap((table) => readTable(file, table, elements))
  return [...tables, ...listColumnElements(file, elements)].slice(0, SCENARIO_LIMITS.tables)
}

function readTable(file: string, table: PageElement, elements: readonly PageElement[]): SceneTable[] {
  const inside = listElements(table).slice(1)
  // Tables that arrange a page contain other tables.
  if (inside.some(({ tagName }) => tagName === 'table')) return []
  const rows = listByTag(inside, 'tr').map((row) => listCells(row))
  const heading = rows.findIndex((cells) => cells.length > 0 && cells.every(({ tagName }) => tagName === 'th'))
  if (heading === -1) return []
  const body = rows.slice(heading + 1).filter((cells) => cells.some(({ tagName }) => tagName === 'td'))
  return [
    {
      origin: 'html',
      selector: toSelector(table, elements),
      columns: (rows[heading] ?? []).slice(0, SCENARIO_LIMITS.columns).map((cell) => ({
        label: readText(cell).slice(0, 200),
        evidence: locate(file, cell, readText(cell)),
      })),
      rows: body.length,
      sample: body.slice(0, SAMPLE_ROWS).map((cells) => cells.map((cell) => readText(cell).slice(0, 200))),
      evidence: locate(file, table, describeElement(table)),
    },
  ]
}

const listCells = (row: PageElement): PageElement[] =>
  row.childNodes.filter(isElement).filter(({ tagName }) => tagName === 'td' || tagName === 'th')

/** Columns as `<el-table-column prop="..." label="...">`. */
function listColumnElements(file: string, elements: readonly PageElement[]): SceneTable[] {
  const columns = elements
    .filter(({ tagName }) => tagName.endsWith('-table-column'))
    .flatMap((element) => {
      const [key, label] = [readAttribute(element, 'prop'), readAttribute(element, 'label')]
      if (key === undefined || label === undefined) return []
      return [{ key, label, evidence: locate(file, element, describeElement(element)) }]
    })
  const [first] = columns
  if (first === undefined) return []
  return [{ origin: 'grid', columns, rows: 0, sample: [], evidence: first.evidence }]
}

const NEXT_WORDS = ['next', 'next page', '下一页', '›', '»', '>']
const EXPORT_WORDS = ['export', 'download', 'excel', '导出', '下载']

const listButtons = ({ elements }: PageReading): PageElement[] =>
  elements.filter(({ tagName, attrs }) => {
    const type = attrs.find(({ name }) => name === 'type')?.value
    return tagName === 'button' || tagName === 'a' || (tagName === 'input' && (type === 'button' || type === 'submit'))
  })

const readCaption = (element: PageElement): string =>
  (readText(element) || readAttribute(element, 'value') || readAttribute(element, 'aria-label') || '').toLowerCase()

/** Elements that turn to the next page of a table. */
export function listPagers(page: PageReading): { readonly element: PageElement; readonly file: string }[] {
  const buttons = listButtons(page).filter((element) => NEXT_WORDS.includes(readCaption(element)))
  const components = page.elements.filter(({ tagName, attrs }) => {
    const classes =
      attrs
        .find(({ name }) => name === 'class')
        ?.value.toLowerCase()
        .split(/\s+/) ?? []
    return tagName.endsWith('-pagination') || classes.includes('pagination')
  })
  return [...buttons, ...components].map((element) => ({ element, file: page.file }))
}

export function listExportButtons(page: PageReading): SceneExportHint[] {
  return listButtons(page)
    .filter((element) => EXPORT_WORDS.some((word) => readCaption(element).includes(word)))
    .map((element) => ({
      kind: 'button' as const,
      target: readText(element).slice(0, 200),
      evidence: locate(page.file, element, describeElement(element)),
    }))
}
