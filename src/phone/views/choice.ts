import type { NodeOf } from '../documents/app-node.ts'
import type { ChoiceOption } from '../documents/control-nodes.ts'
import { evaluate, isTrue, toList, type StateValue } from '../documents/evaluation.ts'
import { fillValue, renderTemplate } from '../documents/template.ts'
import { runActions } from '../model/actions.ts'
import { buildScope, type AppContext } from '../model/scope.ts'
import { createView, type View } from '../model/view.ts'
import { writeValue } from './controls.ts'
import { listEntries } from './repeated.ts'
import { createScrollControl } from './scroll-control.ts'
import { toResourceId, type ViewBase } from './view-base.ts'

type ChoiceNode = NodeOf<'choice'>
type Look = NonNullable<ChoiceNode['look']>

const CONTAINER_CLASSES: Readonly<Record<Look, string>> = {
  segments: 'android.widget.LinearLayout',
  chips: 'android.widget.HorizontalScrollView',
  tabs: 'android.widget.HorizontalScrollView',
  bottom_bar: 'android.widget.FrameLayout',
}

/** Creates segments, chips, tabs or a bottom bar. A tap on an option writes its value. */
export function inflateChoice(node: ChoiceNode, context: AppContext, base: ViewBase): View {
  const look = node.look ?? 'segments'
  const options = node.options.flatMap((option, index) => listOptions(option, context, String(index)))
  const isBar = look === 'tabs' || look === 'bottom_bar'
  const children = options.map((option, index) => ({
    ...createOption(node, base, option),
    index,
    ...(isBar && { tab: { index, count: options.length } }),
  }))
  const scrolls = look === 'chips' || look === 'tabs'
  return createView({
    ...base,
    className: node.class ?? CONTAINER_CLASSES[look],
    children,
    scroll: scrolls ? createScrollControl(context, { key: base.key, axis: 'horizontal' }) : undefined,
    layout: {
      ...base.layout,
      flow: 'row',
      align: 'center',
      gap: node.gap ?? (look === 'chips' ? 24 : 0),
      width: node.width ?? 'fill',
    },
  })
}

interface Option {
  readonly option: ChoiceOption
  readonly context: AppContext
  readonly key: string
}

/** An option with `items` stands for one option per entry. */
function listOptions(option: ChoiceOption, context: AppContext, key: string): Option[] {
  const { items, visible } = option
  const contexts =
    items === undefined
      ? [{ option, context, key }]
      : listEntries({ items }, context).map((entry) => ({
          option,
          context: entry.context,
          key: `${key}/${entry.key}`,
        }))
  return contexts.filter((entry) => visible === undefined || isTrue(evaluate(visible, buildScope(entry.context))))
}

function createOption(node: ChoiceNode, base: ViewBase, { option, context, key }: Option): View {
  const look = node.look ?? 'segments'
  const scope = buildScope(context)
  const value = fillValue(option.value, scope)
  const current = evaluate(node.bind, scope)
  const isChosen = node.multiple === true ? toList(current).some((it) => isSame(it, value)) : isSame(current, value)
  const isBar = look === 'tabs' || look === 'bottom_bar'
  const stateAs = node.state_as ?? (isBar ? 'selected' : 'checked')
  const text = renderTemplate(option.text, scope)
  const description = renderTemplate(option.description, scope)
  const start = {
    key: `${base.key}/${key}`,
    packageName: base.packageName,
    resourceId: option.id === undefined ? '' : toResourceId(base.packageName, option.id),
    className: node.option_class ?? (isBar ? BAR_CLASSES[look] : toCheckClass(node)),
    fixedClass: node.option_class !== undefined,
    description,
    clickable: true,
    focusable: true,
    enabled: base.enabled !== false && (option.enabled === undefined || isTrue(evaluate(option.enabled, scope))),
    checkable: stateAs === 'checked',
    checked: stateAs === 'checked' && isChosen,
    selected: stateAs === 'selected' && isChosen,
    onTap: () => {
      if (node.multiple === true) writeValue(node, context, toggleEntry(toList(current), value))
      else if (!isChosen) writeValue(node, context, value)
      runActions(context, node.on_tap ?? [])
    },
  }
  const style = { ...base.style, color: isChosen ? (base.style.accent ?? '#3f51b5') : '#616161', bold: isChosen }
  if (!isBar) {
    const layout = { weight: look === 'segments' ? 1 : 0, height: 108, intrinsic: { width: 72, height: 108 } }
    return createView({ ...start, text, layout, style: { ...style, shape: 'chip', textAlign: 'center', isChosen } })
  }
  const icon = renderTemplate(option.icon, scope)
  const children = [...(icon === '' ? [] : [createIcon(start, icon, style)]), ...createLabel(start, text, style)]
  for (const [index, child] of children.entries()) child.index = index
  return createView({
    ...start,
    description: description === '' && look === 'bottom_bar' ? text : description,
    children,
    layout: {
      flow: 'column',
      align: 'center',
      padX: 36,
      padY: 24,
      weight: look === 'bottom_bar' ? 1 : 0,
    },
  })
}

const BAR_CLASSES = { tabs: 'android.widget.LinearLayout', bottom_bar: 'android.widget.FrameLayout' }

function toCheckClass({ multiple }: ChoiceNode): string {
  return multiple === true ? 'android.widget.CheckBox' : 'android.widget.RadioButton'
}

type Owner = Pick<View, 'key' | 'packageName'>

function createIcon({ key, packageName }: Owner, icon: string, style: Partial<View['style']>): View {
  return createView({
    key: `${key}/icon`,
    packageName,
    className: 'android.widget.ImageView',
    layout: { intrinsic: { width: 72, height: 72 } },
    style: { ...style, shape: 'image', icon },
  })
}

function createLabel({ key, packageName }: Owner, text: string, style: Partial<View['style']>): View[] {
  if (text === '') return []
  return [createView({ key: `${key}/label`, packageName, className: 'android.widget.TextView', text, style })]
}

function toggleEntry(list: readonly unknown[], value: StateValue): StateValue[] {
  const others = list.filter((it) => !isSame(it, value)) as StateValue[]
  return others.length === list.length ? [...others, value] : others
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
