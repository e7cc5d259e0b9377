import { parseFragment } from 'parse5'
import type { AnyNode, ArrayExpression } from 'acorn'
import type { SceneColumn, SceneTable } from '@apprentice/contracts/scenes/analysis.ts'
import { SCENARIO_LIMITS } from '../source/scenario.ts'
import { findProperty, readLiteral, readPath } from '../script/node-shape.ts'
import { locateNode, type ScriptUnit } from '../script/read-script.ts'
import { listByTag, listElements, readText } from '../page/page-tree.ts'

/** Keys by which grid libraries name the field and the heading of a column. */
const FIELD_KEYS = ['field', 'prop', 'dataIndex', 'dataField', 'data', 'name', 'key', 'index']
const HEADING_KEYS = ['title', 'headerName', 'label', 'header', 'caption', 'text', 'displayName']

/** Column definitions of grids: lists of objects with a field and a heading. */
export const findGridTables = (units: readonly ScriptUnit[]): SceneTable[] =>
  units
    .flatMap((unit) => unit.nodes.flatMap((node) => (node.type === 'ArrayExpression' ? readGrid(unit, node) : [])))
    .slice(0, SCENARIO_LIMITS.tables)

function readGrid(unit: ScriptUnit, list: ArrayExpression): SceneTable[] {
  const columns = list.elements.flatMap((element): SceneColumn[] => {
    const key = readLiteral(findFirst(element, FIELD_KEYS))
    const label = readLiteral(findFirst(element, HEADING_KEYS))
    if (element === null || key === undefined || label === undefined || key === '' || label === '') return []
    return [{ key: key.slice(0, 200), label: label.slice(0, 200), evidence: locateNode(unit, element) }]
  })
  // Lists of choices have a label too, but no field.
  if (columns.length < 2 || columns.length * 2 < list.elements.length) return []
  return [
    {
      origin: 'grid',
      columns: columns.slice(0, SCENARIO_LIMITS.columns),
      rows: 0,
      sample: [],
      evidence: locateNode(unit, list),
    },
  ]
}

function findFirst(node: AnyNode | null, names: readonly string[]): AnyNode | undefined {
  for (const name of names) {
    const found = findProperty(node, name)
    if (found !== undefined) return found
  }
  return undefined
}

/** The fields of the cells of a row that a script writes as a template: `<tr><td>${row.name}</td></tr>`. */
export interface RowTemplate {
  readonly keys: readonly (string | undefined)[]
  readonly evidence: SceneColumn['evidence']
}

export function findRowTemplates(units: readonly ScriptUnit[]): RowTemplate[] {
  return units.flatMap((unit) =>
    unit.nodes.flatMap((node) => {
      if (node.type !== 'TemplateLiteral' || node.expressions.length === 0) return []
      const keys = readTemplateCells(node)
      return keys.length < 2 ? [] : [{ keys, evidence: locateNode(unit, node) }]
    }),
  )
}

const MARK = 0xe000

/** Each cell with exactly one field of the row. */
function readTemplateCells(node: Extract<AnyNode, { type: 'TemplateLiteral' }>): (string | undefined)[] {
  const html = node.quasis
    .map(({ value }, at) => value.raw + (at < node.expressions.length ? String.fromCharCode(MARK + at) : ''))
    .join('')
  if (!html.toLowerCase().includes('<td')) return []
  const fragment = parseFragment(`<table><tbody>${html}</tbody></table>`)
  return listByTag(listElements(fragment), 'td').map((cell) => {
    const marks = Array.from(readText(cell)).filter((one) => one.charCodeAt(0) >= MARK && one.charCodeAt(0) < 0xf8ff)
    const [only, ...more] = marks
    if (only === undefined || more.length > 0) return undefined
    return readField(node.expressions[only.charCodeAt(0) - MARK])
  })
}

/** `row.name`, also inside a call or with a default. */
function readField(node: AnyNode | undefined): string | undefined {
  if (node?.type === 'LogicalExpression') return readField(node.left)
  if (node?.type === 'ConditionalExpression') return readField(node.test)
  if (node?.type === 'BinaryExpression')
    return node.left.type === 'PrivateIdentifier' ? undefined : readField(node.left)
  if (node?.type === 'CallExpression') {
    return node.arguments.length > 0
      ? readField(node.arguments[0])
      : readField(node.callee.type === 'MemberExpression' ? node.callee.object : undefined)
  }
  const path = readPath(node)
  return path !== undefined && path.length >= 2 ? path.slice(1).join('.') : undefined
}
