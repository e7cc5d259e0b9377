import type { AppContext } from '../model/scope.ts'
import { countCharacters } from '../model/text-metrics.ts'
import { createView, type FieldControl, type Layout, type View } from '../model/view.ts'
import { readPositions } from './scroll-control.ts'
import type { ViewBase } from './view-base.ts'

const AUTOFOCUS = 'autofocus'
const HINT_COLOR = '#757575'

interface FieldOptions {
  readonly base: ViewBase
  readonly context: AppContext
  readonly className: string
  readonly hint: string
  /** Where the hint is in a dump, see the format reference. */
  readonly hintAs: 'text' | 'label' | 'placeholder' | 'description' | 'none'
  readonly password: boolean
  readonly control: FieldControl
  readonly layout: Partial<Layout>
}

/** Creates the view of a text field. */
export function createField({ base, context, ...options }: FieldOptions): View {
  const { hint, hintAs, control } = options
  const value = control.read()
  const masked = options.password ? '•'.repeat(countCharacters(value)) : value
  const showsHint = value === '' && hintAs === 'text'
  const children = listHintViews(base, { hint, hintAs, isEmpty: value === '' })
  const style = showsHint ? { ...base.style, color: HINT_COLOR } : base.style
  return createView({
    ...base,
    className: options.className,
    text: showsHint ? hint : masked,
    description: hintAs === 'description' && base.description === '' ? hint : base.description,
    hint,
    clickable: true,
    focusable: true,
    longClickable: true,
    focused: isFocused(context, base.key),
    password: options.password,
    field: control,
    children,
    layout: { ...base.layout, ...options.layout, ...(children.length > 0 && { flow: 'column' as const }) },
    style: { ...style, shape: 'field' },
  })
}

interface HintState {
  readonly hint: string
  readonly hintAs: FieldOptions['hintAs']
  readonly isEmpty: boolean
}

/** A label stays above the text. A placeholder, and a hint that is not in dumps, are drawn while the field is empty. */
function listHintViews(base: ViewBase, { hint, hintAs, isEmpty }: HintState): View[] {
  if (hint === '' || hintAs === 'text' || (hintAs !== 'label' && !isEmpty)) return []
  return [
    createView({
      key: `${base.key}/hint`,
      packageName: base.packageName,
      className: 'android.widget.TextView',
      text: hint,
      dumped: hintAs === 'label' || hintAs === 'placeholder',
      style: { size: hintAs === 'label' ? 30 : 42, color: HINT_COLOR },
    }),
  ]
}

/** Focuses a field when its window is displayed for the first time. */
export function focusOnce(context: AppContext, key: string): void {
  const positions = readPositions(context)
  const window = context.dialog ?? context.screen
  if (window === undefined || positions.has(AUTOFOCUS)) return
  positions.set(AUTOFOCUS, 1)
  const { device } = context
  device.focus = { windowId: window.id, key, cursor: Number.MAX_SAFE_INTEGER, allSelected: false }
  device.keyboard.hidden = false
  device.keyboard.page = 'letters'
}

export function isFocused({ device, screen, dialog }: AppContext, key: string): boolean {
  return device.focus?.key === key && device.focus.windowId === (dialog ?? screen)?.id
}
