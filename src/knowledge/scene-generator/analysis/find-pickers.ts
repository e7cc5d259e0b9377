import type { SceneControl } from '@apprentice/contracts/scenes/analysis.ts'
import { findProperty, readLiteral, readMethod, readPath } from '../script/node-shape.ts'
import { readQueryTarget } from '../script/element-lookup.ts'
import type { ScriptUnit } from '../script/read-script.ts'

const KINDS = new Set(['date', 'month', 'week'])
const JQUERY_PICKERS = new Set(['datepicker', 'datebox', 'datetimepicker'])

/** The kinds of text fields that scripts turn into pickers of dates. */
export function addPickerKinds(controls: readonly SceneControl[], units: readonly ScriptUnit[]): SceneControl[] {
  const pickers = new Map(units.flatMap((unit) => unit.nodes.flatMap((node) => readPicker(node))))
  return controls.map((control) => {
    const kind = pickers.get(control.key)
    return kind === undefined || control.kind !== 'text' ? control : { ...control, kind }
  })
}

type Picker = [string, SceneControl['kind']]

/** `laydate.render({ elem: '#month', type: 'month' })`, `$('#day').datepicker()` */
function readPicker(node: ScriptUnit['nodes'][number]): Picker[] {
  const method = readMethod(node)
  if (method === undefined) return []
  const [options] = method.call.arguments
  if (method.name === 'render' && readPath(method.object)?.at(-1) === 'laydate') {
    const target = readLiteral(findProperty(options, 'elem'))
    const type = readLiteral(findProperty(options, 'type')) ?? 'date'
    return target?.startsWith('#') === true && KINDS.has(type) ? [[target.slice(1), type as SceneControl['kind']]] : []
  }
  const key = JQUERY_PICKERS.has(method.name) ? readQueryTarget(method.object) : undefined
  return key === undefined ? [] : [[key, 'date']]
}
