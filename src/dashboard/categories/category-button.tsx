import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'
import type { MenuPlace } from './category-menu.tsx'

interface CategoryButtonProps {
  readonly title: string
  readonly onMenu: (place: MenuPlace) => void
}

/** Opens the categories of an item, for those who do not use a right click. */
export const CategoryButton = ({ title, onMenu }: CategoryButtonProps) => (
  <button
    type="button"
    class="quiet"
    aria-haspopup="true"
    aria-label={t.category.addOf(title)}
    title={t.category.add}
    onClick={({ currentTarget }) => {
      const { left, bottom } = currentTarget.getBoundingClientRect()
      onMenu({ x: left, y: bottom })
    }}
  >
    <Icon name="tag" />
  </button>
)

/** Where a right click, or the menu key, opens the menu of an element. */
export function readMenuPlace(event: MouseEvent & { readonly currentTarget: HTMLElement }): MenuPlace {
  event.preventDefault()
  // The menu key reports no position in some browsers.
  const { left, bottom } = event.currentTarget.getBoundingClientRect()
  const point = event.clientX === 0 ? { x: left, y: bottom } : { x: event.clientX, y: event.clientY }
  return event.buttons === 0 ? point : { ...point, released: waitForRelease() }
}

/** Resolves after the browser has dealt with the release of the mouse button. */
const waitForRelease = (): Promise<void> =>
  new Promise((resolve) => addEventListener('pointerup', () => setTimeout(resolve), { once: true }))
