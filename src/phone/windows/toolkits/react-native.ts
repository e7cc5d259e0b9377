import type { View } from '../../model/view.ts'
import {
  collectWords,
  createHost,
  createTextNode,
  dropBuiltInId,
  isPlainBox,
  isTouchable,
  isVertical,
  presentChildren,
} from './presentation.ts'

const GROUP = 'android.view.ViewGroup'

/** Presents a view as React Native does: groups, and touchable groups described by the words in them. */
export function presentReactView(given: View): View[] {
  const view = dropBuiltInId(given)
  const children = presentChildren(view, presentReactView)
  const isDrawn = view.style.background !== undefined
  if (!view.dumped || (isPlainBox(view) && !isDrawn && !view.fixedClass && view.children.length > 0)) return children
  if (view.fixedClass) return [{ ...view, children }]
  switch (view.style.shape) {
    case 'button':
    case 'chip':
      return [presentPressable(view)]
    case 'switch':
    case 'checkbox':
    case 'radio':
      return presentToggle(view)
    case 'image':
      return [view.clickable ? { ...view, className: GROUP } : view]
    case 'field':
    case 'slider':
    case 'progress':
      return [{ ...view, children }]
    case 'plain':
    case 'scrim':
      return [presentPlain(view, children)]
  }
}

function presentPressable(view: View): View {
  const className = view.style.shape === 'button' ? 'android.widget.Button' : GROUP
  const description = view.description === '' ? view.text : view.description
  return { ...view, className, text: '', description, children: [createTextNode(view, view.text)] }
}

function presentToggle(view: View): View[] {
  const className = view.style.shape === 'switch' ? view.className : GROUP
  const control = { ...view, className, text: '', description: view.description === '' ? view.text : view.description }
  return view.text === '' ? [control] : [control, createTextNode(view, view.text)]
}

function presentPlain(view: View, children: readonly View[]): View {
  if (view.scroll !== undefined) {
    const className = isVertical(view) ? 'android.widget.ScrollView' : 'android.widget.HorizontalScrollView'
    return { ...view, className, children: [createHost(view, GROUP, children)] }
  }
  if (view.children.length === 0) return view
  const description = isTouchable(view) && view.description === '' ? collectWords(view).join(', ') : view.description
  return { ...view, className: GROUP, description, focusable: view.focusable, children }
}
