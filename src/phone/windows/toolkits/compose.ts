import type { View } from '../../model/view.ts'
import {
  createRoleNode,
  createTextNode,
  dropBuiltInId,
  isPlainBox,
  isVertical,
  presentChildren,
  VIEW,
} from './presentation.ts'

/** Presents a view as Compose does: flat, few ids, the words in children, the role in an empty node. */
export function presentComposeView(given: View): View[] {
  const view = dropBuiltInId(given)
  const children = presentChildren(view, presentComposeView)
  if (!view.dumped || (isPlainBox(view) && !view.fixedClass && view.children.length > 0)) return children
  if (view.fixedClass) return [{ ...view, children }]
  switch (view.style.shape) {
    case 'button':
      return [wrapWords(view, 'android.widget.Button')]
    case 'chip':
      return [wrapWords(view, view.className)]
    case 'image':
      return presentImage(view)
    case 'switch':
    case 'checkbox':
    case 'radio':
      return presentToggle(view)
    case 'field':
      return [presentField(view, children)]
    case 'slider':
    case 'progress':
      return [view]
    case 'plain':
    case 'scrim':
      return presentPlain(view, children)
  }
}

function presentPlain(view: View, children: readonly View[]): View[] {
  if (view.children.length === 0) return view.text === '' && isPlainBox(view) ? [] : [view]
  const isScrollView = isVertical(view) && view.className.endsWith('ScrollView')
  return [{ ...view, className: isScrollView ? 'android.widget.ScrollView' : VIEW, children }]
}

/** A touchable view whose text is a child. */
function wrapWords(view: View, role: string): View {
  const words = view.text === '' ? [] : [createTextNode(view, view.text)]
  const children = [...words, createRoleNode(view, role)].map((child, index) => ({ ...child, index }))
  return { ...view, className: VIEW, text: '', children }
}

/** An icon without a description is not in the tree. */
function presentImage(view: View): View[] {
  if (!view.clickable) return view.description === '' ? [] : [{ ...view, className: VIEW }]
  const icon = { ...createRoleNode(view, VIEW), description: view.description }
  const role = { ...createRoleNode(view, 'android.widget.Button'), index: 1 }
  return [{ ...view, className: VIEW, description: '', children: [icon, role] }]
}

/** The control and its label are siblings. */
function presentToggle(view: View): View[] {
  const className = view.style.shape === 'switch' ? VIEW : view.className
  const control = { ...view, className, text: '' }
  return view.text === '' ? [control] : [control, createTextNode(view, view.text)]
}

/** The hint is a child. */
function presentField(view: View, children: readonly View[]): View {
  const showsHint = view.hint !== '' && view.text === view.hint
  if (!showsHint) return { ...view, children }
  return { ...view, text: '', children: [createTextNode(view, view.hint), ...children] }
}
