import type { AnyNode } from 'acorn'
import { readMethod, readPath } from './node-shape.ts'
import type { ScriptUnit } from './read-script.ts'

/** A place where a name or a member of it is used. */
export interface NameUse {
  readonly node: AnyNode
  /** The members after the name. */
  readonly path: readonly string[]
}

/** How the names of a script are used, looked up many times and read once. */
export interface UnitUses {
  readonly byName: ReadonlyMap<string, readonly NameUse[]>
  /** Nodes that are used as lists of rows. */
  readonly lists: ReadonlySet<AnyNode>
  /** What each callback of a `then`, `done` or `success` follows. */
  readonly followed: ReadonlyMap<AnyNode, AnyNode>
}

const known = new WeakMap<ScriptUnit, UnitUses>()

export function readUses(unit: ScriptUnit): UnitUses {
  const found = known.get(unit) ?? collectUses(unit)
  known.set(unit, found)
  return found
}

const CALLBACK_METHODS = new Set(['then', 'done', 'success'])
const LIST_METHODS = new Set(['forEach', 'map', 'filter', 'reduce', 'slice', 'flatMap', 'sort', 'toSorted'])
const SHOW_METHODS = new Set(['loadData', 'setData', 'setRowData', 'reloadData', 'addRows', 'replaceData', 'datagrid'])
const ROW_OPTIONS = new Set(['data', 'rows', 'tableData', 'dataSource', 'rowData', 'list'])

function collectUses({ nodes }: ScriptUnit): UnitUses {
  const byName = new Map<string, NameUse[]>()
  const lists = new Set<AnyNode>()
  const followed = new Map<AnyNode, AnyNode>()
  for (const node of nodes) {
    if (node.type === 'MemberExpression' || node.type === 'Identifier') {
      const [root, ...path] = readPath(node) ?? []
      if (root === undefined) continue
      const uses = byName.get(root)
      if (uses === undefined) byName.set(root, [{ node, path }])
      else uses.push({ node, path })
    }
    for (const list of listRowUses(node)) lists.add(list)
    const method = readMethod(node)
    const callback = method?.call.arguments[0]
    if (method !== undefined && callback !== undefined && CALLBACK_METHODS.has(method.name)) {
      followed.set(callback, method.object)
    }
  }
  return { byName, lists, followed }
}

/** The parts of a node that it uses as lists of rows. */
function listRowUses(node: AnyNode): AnyNode[] {
  if (node.type === 'ForOfStatement') return [unwrapDefault(node.right)]
  if (node.type === 'Property') {
    const isRows = node.key.type === 'Identifier' && ROW_OPTIONS.has(node.key.name)
    return isRows && node.value.type === 'MemberExpression' ? [node.value] : []
  }
  if (node.type !== 'CallExpression') return []
  const method = readMethod(node)
  const object = method !== undefined && LIST_METHODS.has(method.name) ? [unwrapDefault(method.object)] : []
  // `grid.loadData(answer.rows)`: a list is handed to something that shows it.
  if (!SHOW_METHODS.has(readPath(node.callee)?.at(-1) ?? '')) return object
  return [...object, ...node.arguments.map(unwrapDefault).filter(({ type }) => type === 'MemberExpression')]
}

/** `answer.rows || []` */
export const unwrapDefault = (node: AnyNode): AnyNode => {
  if (node.type === 'ParenthesizedExpression') return unwrapDefault(node.expression)
  return node.type === 'LogicalExpression' ? node.left : node
}
