import type { ElementRole, ElementSemantic, ElementState } from '@apprentice/contracts/devices/snapshot.ts'
import { type UiNode, attribute, isTrue } from './hierarchy.ts'

/** Infers the role from the class name. The first matching row of `ROLE_PARTS` decides. */
export function inferElementRole(className: string): ElementRole | null {
  const name = className.toLowerCase()
  for (const [role, parts] of ROLE_PARTS) {
    if (parts.some((part) => name.includes(part))) return role
  }
  return null
}

export function inferElementSemantic(node: UiNode): ElementSemantic {
  const className = attribute(node, 'class')
  const clickable = isTrue(node, 'clickable')
  const role = inferElementRole(className)
  const flags = { is_clickable: clickable, is_container: isContainer(className) }
  const control = role === null ? undefined : CONTROLS[role]
  if (control !== undefined) return { ...flags, ...control }
  return clickable ? { ...flags, supported_actions: ['tap'] } : flags
}

/** Every node of a dump has a `checked` attribute. It is meaningful only if the node is checkable. */
export function readElementState(node: UiNode): ElementState {
  const value = Number(node.attributes['value'] ?? Number.NaN)
  return {
    ...readFlag(node, 'enabled'),
    ...readFlag(node, 'focused'),
    ...readFlag(node, 'selected'),
    ...readFlag(node, 'expanded'),
    ...(isTrue(node, 'checkable') && readFlag(node, 'checked')),
    ...(isReadableTextField(node) && { text_value: readTextValue(node) }),
    ...(Number.isFinite(value) && attribute(node, 'value') !== '' && { value }),
  }
}

const CONTROLS: Readonly<Partial<Record<ElementRole, Partial<ElementSemantic>>>> = {
  slider: {
    semantic_role: 'slider',
    adjustable: true,
    supported_actions: ['adjust'],
    state_shape: 'continuous',
  },
  stepper: {
    semantic_role: 'stepper',
    adjustable: true,
    supported_actions: ['increment', 'decrement'],
    state_shape: 'discrete',
  },
  dropdown: {
    semantic_role: 'dropdown',
    supported_actions: ['tap', 'expand'],
    state_shape: 'semantic',
  },
  segmented_control: {
    semantic_role: 'segmented_control',
    supported_actions: ['tap'],
    state_shape: 'discrete',
  },
}

const CONTAINER_PARTS = ['recyclerview', 'scroll', 'layout', 'viewgroup', 'frame']

const ROLE_PARTS: readonly (readonly [ElementRole, readonly string[]])[] = [
  ['slider', ['seekbar', 'slider']],
  ['stepper', ['stepper', 'numberpicker']],
  ['dropdown', ['spinner', 'dropdown']],
  ['segmented_control', ['segment', 'tablayout']],
  ['switch', ['switch', 'toggle']],
  ['checkbox', ['checkbox']],
  ['radio', ['radiobutton', 'radio']],
  ['text_field', ['edittext', 'textfield', 'search']],
  ['button', ['button', 'fab']],
  ['image', ['imageview', 'icon']],
  ['container', CONTAINER_PARTS],
]

function isContainer(className: string): boolean {
  const name = className.toLowerCase()
  return CONTAINER_PARTS.some((part) => name.includes(part))
}

function readFlag(node: UiNode, name: keyof ElementState): ElementState {
  const value = node.attributes[name]
  return value === 'true' || value === 'false' ? { [name]: value === 'true' } : {}
}

function isReadableTextField(node: UiNode): boolean {
  return inferElementRole(attribute(node, 'class')) === 'text_field' && !isTrue(node, 'password')
}

/** Some Android builds report the hint. A text equal to the hint means that the field is empty. */
function readTextValue(node: UiNode): string {
  const text = attribute(node, 'text')
  return text === attribute(node, 'hint') ? '' : text
}
