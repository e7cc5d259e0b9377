import type { View } from '../model/view.ts'

/** Removes views and their descendants from dumps. They are still drawn and take touches. */
export function hideViews(views: readonly View[]): View[] {
  return views.map((view) => ({ ...view, dumped: false, children: hideViews(view.children) }))
}

export interface MergedViews {
  /** The words of the views, one per line. */
  readonly words: string
  readonly children: readonly View[]
}

/** Collects the words of views that take no touch and removes these views from dumps. */
export function mergeViews(views: readonly View[]): MergedViews {
  const words: string[] = []
  const merge = (view: View): View => {
    if (isInteractive(view)) return view
    const own = view.description === '' ? view.text : view.description
    if (own !== '') words.push(own)
    return { ...view, dumped: false, children: view.children.map(merge) }
  }
  const children = views.map(merge)
  return { words: words.join('\n'), children }
}

function isInteractive(view: View): boolean {
  return view.clickable || view.longClickable || view.checkable || view.field !== undefined || view.slider !== undefined
}
