import type { View } from '../../model/view.ts'
import {
  collectWords,
  dropBuiltInId,
  isPlainBox,
  isTouchable,
  isVertical,
  presentChildren,
  presentTouchable,
  VIEW,
} from './presentation.ts'

/** Presents a view as Flutter does: words in content descriptions, all words of a touchable box in one. */
export function presentFlutterView(given: View): View[] {
  const view = dropBuiltInId(given)
  if (!view.dumped || (isPlainBox(view) && !view.fixedClass && view.children.length > 0)) {
    return presentChildren(view, presentFlutterView)
  }
  if (view.field !== undefined) return [{ ...view, text: view.text === view.hint ? '' : view.text, children: [] }]
  if (view.scroll !== undefined) {
    const className = isVertical(view) ? 'android.widget.ScrollView' : 'android.widget.HorizontalScrollView'
    return [
      {
        ...view,
        className: view.fixedClass ? view.className : className,
        children: presentChildren(view, presentFlutterView),
      },
    ]
  }
  if (view.children.length > 0) return [presentBox(view)]
  const words = view.description === '' ? view.text : view.description
  if (words === '' && !isTouchable(view) && view.style.shape !== 'progress') return []
  return [{ ...view, className: toClassName(view), text: '', description: words, focusable: true }]
}

function presentBox(view: View): View {
  const className = view.fixedClass ? view.className : VIEW
  if (!isTouchable(view)) return { ...view, className, children: presentChildren(view, presentFlutterView) }
  const place = view.tab === undefined ? [] : [`Tab ${view.tab.index + 1} of ${view.tab.count}`]
  const description = [...collectWords(view), ...place].join('\n')
  return { ...view, className, description, children: presentTouchable(view, presentFlutterView) }
}

function toClassName(view: View): string {
  if (view.fixedClass) return view.className
  switch (view.style.shape) {
    case 'button':
    case 'chip':
      return 'android.widget.Button'
    case 'image':
      return view.clickable ? 'android.widget.Button' : 'android.widget.ImageView'
    case 'switch':
    case 'checkbox':
    case 'radio':
    case 'slider':
    case 'progress':
    case 'field':
      return view.className
    case 'plain':
    case 'scrim':
      return VIEW
  }
}
