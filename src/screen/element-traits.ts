import type {
  ElementRole,
  ElementSemantic,
  ElementState,
} from '@apprentice/contracts/devices/snapshot.ts'
import { type UiNode, attribute, isTrue } from './hierarchy.ts'

/** What kind of control a class name speaks of; the first row that matches decides. */
export function elementRole(className: string): ElementRole | null {
  const name = className.toLowerCase()
  for (const [role, parts] of ROLE_PARTS) {
    if (parts.some((part) => name.includes(part))) return role
  }
  return null
}

export function elementSemantic(node: UiNode): ElementSemantic {
  const className = attribute(node, 'class')
  const clickable = isTrue(node, 'clickable')
  const role = elementRole(className)
  const flags = { is_clickable: clickable, is_container: isContainer(className) }
  const control = role === null ? undefined : CONTROLS[role]
  if (control !== undefined) return { ...flags, ...control }
  return clickable ? { ...flags, supported_actions: ['tap'] } : flags
}

/** A dump says `checked="false"` of everything; only of something checkable does it mean anything. */
export function elementState(node: UiNode): ElementState {
  const value = Number(node.attributes['value'] ?? Number.NaN)
  return {
    ...boolean(node, 'enabled'),
    ...boolean(node, 'focused'),
    ...boolean(node, 'selected'),
    ...boolean(node, 'expanded'),
    ...(isTrue(node, 'checkable') && boolean(node, 'checked')),
    ...(takesText(node) && { text_value: textValue(node) }),
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

function boolean(node: UiNode, name: keyof ElementState): ElementState {
  const word = node.attributes[name]
  return word === 'true' || word === 'false' ? { [name]: word === 'true' } : {}
}

function takesText(node: UiNode): boolean {
  return elementRole(attribute(node, 'class')) === 'text_field' && !isTrue(node, 'password')
}

/** Builds that name the hint let us tell an empty field from a filled one. */
function textValue(node: UiNode): string {
  const text = attribute(node, 'text')
  return text === attribute(node, 'hint') ? '' : text
}
