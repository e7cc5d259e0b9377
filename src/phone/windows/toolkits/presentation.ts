import { intersect, isVisible, type View } from '../../model/view.ts'

/** Presents a view as nodes of an accessibility tree. A box without meaning gives its place to its children. */
export type Presenter = (view: View) => View[]

export const VIEW = 'android.view.View'

/** Presents the visible children, numbered from 0. */
export function presentChildren(view: View, present: Presenter): View[] {
  const children = view.children.filter(({ visibleBounds }) => isVisible(visibleBounds)).flatMap(present)
  return children.map((child, index) => ({ ...child, index }))
}

/** A view that only holds others. */
export function createHost(like: View, className: string, children: readonly View[]): View {
  return {
    ...strip(like),
    className,
    children: children.map((child, index) => ({ ...child, index })),
  }
}

/** A node of the same size without words, state or input. */
function strip(view: View): View {
  return {
    ...view,
    index: 0,
    text: '',
    description: '',
    hint: '',
    resourceId: '',
    children: [],
    checkable: false,
    checked: false,
    clickable: false,
    longClickable: false,
    focusable: false,
    focused: false,
    selected: false,
    password: false,
    scroll: undefined,
    fixedClass: false,
    dumped: true,
  }
}

const TEXT_INSET = 24

/** A text inside a view, smaller than the view where there is room. */
export function createTextNode(view: View, text: string): View {
  const { left, top, right, bottom } = view.bounds
  const insetX = right - left > 4 * TEXT_INSET ? TEXT_INSET : 0
  const insetY = bottom - top > 4 * TEXT_INSET ? TEXT_INSET : 0
  const bounds = { left: left + insetX, top: top + insetY, right: right - insetX, bottom: bottom - insetY }
  const visibleBounds = intersect(bounds, view.visibleBounds)
  return { ...strip(view), className: 'android.widget.TextView', text, bounds, visibleBounds }
}

/** An empty node with the size of the view. Compose adds one to name the role of a view with children. */
export function createRoleNode(view: View, className: string): View {
  return { ...strip(view), className }
}

export function isTouchable(view: View): boolean {
  return view.clickable || view.longClickable || view.checkable || view.field !== undefined || view.slider !== undefined
}

/** Whether a box says nothing by itself. */
export function isPlainBox(view: View): boolean {
  const speaks = view.description !== '' || view.text !== '' || view.selected || view.resourceId !== ''
  return !speaks && !isTouchable(view) && view.scroll === undefined
}

export const isVertical = ({ scroll }: View): boolean => scroll?.axis === 'vertical'

/** Ids of views that the document did not write, such as the toolbar. Only classic views have them. */
const BUILT_IN_KEYS =
  /^(toolbar|loading|snackbar|dialog)(\/(up|title|bar|text|action|message|buttons|root|button\/\d+))?$/

export function dropBuiltInId(view: View): View {
  const isBuiltIn = BUILT_IN_KEYS.test(view.key) || view.resourceId.startsWith('android:id/')
  return isBuiltIn && view.resourceId !== '' ? { ...view, resourceId: '' } : view
}

/** The words of a view and of its descendants that take no touch. */
export function collectWords(view: View): string[] {
  const own = view.description === '' ? view.text : view.description
  if (own !== '') return [own]
  return view.children
    .filter((child) => isVisible(child.visibleBounds) && !isTouchable(child))
    .flatMap((child) => collectWords(child))
}

/** The descendants that take touches, for a toolkit that merges the words of the others. */
export function presentTouchable(view: View, present: Presenter): View[] {
  const find = (child: View): View[] => (isTouchable(child) ? present(child) : child.children.flatMap(find))
  const found = view.children.filter(({ visibleBounds }) => isVisible(visibleBounds)).flatMap(find)
  return found.map((child, index) => ({ ...child, index }))
}
