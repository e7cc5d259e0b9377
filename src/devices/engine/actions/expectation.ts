import { checkableFor } from '../../../screen/checkable.ts'
import { type Hierarchy, type UiNode, isTrue } from '../../../screen/hierarchy.ts'
import { resolveTarget } from '../../../screen/matcher.ts'
import { isNear, shownNumber } from '../../../screen/shown-number.ts'
import { validateText } from '../../../screen/text-validators.ts'
import type { ParamsOf } from './action-params.ts'
import { shownLabel } from '../step-evidence.ts'

type Expect = ParamsOf<'expect'>

export interface Observation {
  readonly holds: boolean
  /** What is there instead, or what was expected. */
  readonly observed: string
  readonly found?: { readonly node: UiNode; readonly fallback?: number | undefined }
}

/** Whether one reading is as expected. */
export function observe(hierarchy: Hierarchy, params: Expect): Observation {
  const { matcher, container, strict, present } = params
  const there = resolveTarget(hierarchy, { matcher, container, strict })
  if (there.kind === 'missing') return { holds: !present, observed: 'missing' }
  if (there.kind === 'ambiguous') {
    return { holds: false, observed: `${there.candidate_count} alike` }
  }
  const found = { node: there.node, fallback: there.fallback }
  const label = shownLabel(there.node)
  if (!present) return { holds: false, observed: label === '' ? 'present' : label, found }
  const checks = checksOf(hierarchy, there.node, params)
  const unmet = checks.filter(({ holds }) => !holds)
  const told = (unmet.length > 0 ? unmet : checks).map(({ observed }) => observed)
  const observed = told.length === 0 ? label || 'present' : [...new Set(told)].join(', ')
  return { holds: unmet.length === 0, observed, found }
}

interface Check {
  readonly holds: boolean
  readonly observed: string
}

function checksOf(hierarchy: Hierarchy, node: UiNode, params: Expect): Check[] {
  const { text, number, checked, selected, enabled } = params
  const label = shownLabel(node)
  const checks: Check[] = []
  if (text !== undefined) checks.push({ holds: isText(label, text), observed: label })
  if (number !== undefined) checks.push(numberCheck(label, number))
  if (checked !== undefined) {
    const control = checkableFor(hierarchy, node)
    const state = control.kind === 'found' ? isTrue(control.node, 'checked') : undefined
    checks.push({ holds: state === checked, observed: `checked: ${state ?? 'unknown'}` })
  }
  for (const [name, wanted] of Object.entries({ selected, enabled })) {
    if (wanted === undefined) continue
    const state = isTrue(node, name)
    checks.push({ holds: state === wanted, observed: `${name}: ${state}` })
  }
  return checks
}

function isText(label: string, { equals, contains, matches }: NonNullable<Expect['text']>) {
  const text = label.trim()
  return (
    (equals === undefined || text === equals.trim()) &&
    (contains === undefined || text.toLowerCase().includes(contains.toLowerCase())) &&
    (matches === undefined ||
      validateText(text, { validator: 'regex', validatorPattern: matches }).ok)
  )
}

function numberCheck(label: string, { equals, tolerance }: NonNullable<Expect['number']>): Check {
  const value = shownNumber(label)
  return { holds: value !== undefined && isNear(value, equals, tolerance), observed: label }
}
