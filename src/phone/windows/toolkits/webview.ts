import type { View } from '../../model/view.ts'
import { collectWords, dropBuiltInId, isPlainBox, isTouchable, presentChildren, VIEW } from './presentation.ts'

/** Presents a view as a web page: names as texts, ids of elements without a package. */
export function presentWebView(given: View): View[] {
  const view = dropPackage(dropBuiltInId(given))
  const children = presentChildren(view, presentWebView)
  if (!view.dumped || (isPlainBox(view) && !view.fixedClass && view.children.length > 0)) return children
  if (view.fixedClass) return [{ ...view, children }]
  switch (view.style.shape) {
    case 'image': {
      const className = view.clickable ? 'android.widget.Button' : 'android.widget.Image'
      return [{ ...view, className, text: view.description, description: '' }]
    }
    case 'field':
      return [{ ...view, text: view.text === view.hint ? '' : view.text, children }]
    case 'switch':
      return [{ ...view, className: 'android.widget.ToggleButton' }]
    case 'chip':
      return [{ ...view, className: 'android.widget.Button' }]
    case 'button':
    case 'checkbox':
    case 'radio':
    case 'slider':
    case 'progress':
      return [view]
    case 'plain':
    case 'scrim':
      return presentPlain(view, children)
  }
}

function presentPlain(view: View, children: readonly View[]): View[] {
  if (view.children.length === 0) {
    if (view.text === '' && isPlainBox(view)) return []
    return [view.clickable ? { ...view, className: VIEW } : view]
  }
  const text = isTouchable(view) && view.description === '' ? collectWords(view).join(' ') : view.description
  return [{ ...view, className: VIEW, text, description: '', children }]
}

function dropPackage(view: View): View {
  const id = view.resourceId.replace(`${view.packageName}:id/`, '')
  return id === view.resourceId ? view : { ...view, resourceId: id }
}
