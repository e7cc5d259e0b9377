import type { AnyNode } from 'acorn'
import type { SceneExportHint, SceneValueSource } from '@apprentice/contracts/scenes/analysis.ts'
import type { Bindings, Place } from '../script/bindings.ts'
import { readMethod, readPath } from '../script/node-shape.ts'
import { locateNode } from '../script/read-script.ts'
import { listParts } from '../script/value-source.ts'
import { parseAddress } from './request-address.ts'

const EXPORT_WORDS = ['export', 'download', 'excel', '导出', '.xls', '.csv']
const LIBRARY_CALLS = new Set(['XLSX.writeFile', 'XLSX.write', 'saveAs', 'FileSaver.saveAs'])

/** Where scripts save the report as a file. The platform exports itself; these only tell where the data come from. */
export const findExports = (bindings: Bindings): SceneExportHint[] =>
  bindings.units.flatMap((unit) => unit.nodes.flatMap((node) => readExport(bindings, { unit, node })))

function readExport(bindings: Bindings, place: Place): SceneExportHint[] {
  const { node, unit } = place
  const evidence = locateNode(unit, node)
  const library = node.type === 'CallExpression' ? (readPath(node.callee)?.join('.') ?? '') : ''
  if (LIBRARY_CALLS.has(library)) return [{ kind: 'library', target: library, evidence }]
  const target = findNavigation(node)
  if (target === undefined) return []
  const parts = listParts(bindings, { unit, node: target })
  const address = formatAddress(parts)
  return EXPORT_WORDS.some((word) => address.toLowerCase().includes(word))
    ? [{ kind: 'navigation', target: parseAddress(parts).url.slice(0, 2000), evidence }]
    : []
}

/** The address that a script opens: `window.open(...)`, `location.href = ...`, `link.href = ...`. */
function findNavigation(node: AnyNode): AnyNode | undefined {
  const method = readMethod(node)
  const object = readPath(method?.object)?.at(-1)
  if (method !== undefined && method.name === 'open' && object === 'window') return method.call.arguments[0]
  if (method !== undefined && ['assign', 'replace'].includes(method.name) && object === 'location') {
    return method.call.arguments[0]
  }
  if (node.type !== 'AssignmentExpression') return undefined
  const name = readPath(node.left)?.at(-1)
  return name === 'href' || name === 'location' || name === 'action' ? node.right : undefined
}

const formatAddress = (parts: readonly SceneValueSource[]): string =>
  parts.map((part) => (part.kind === 'constant' ? part.value : '{}')).join('')
