import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Category, type CategoryItemKind, listCategories } from '@apprentice/contracts/admin/categories.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { CategoryMenu, type MenuPlace } from './category-menu.tsx'

interface ItemMenu {
  /** The open menu, or nothing. */
  readonly menu: ComponentChildren
  readonly open: (itemId: string, place: MenuPlace) => void
}

/** The category menu of a list whose items do not name their categories. They are read when the menu is opened. */
export function useItemMenu(kind: CategoryItemKind): ItemMenu {
  const opened = useSignal<{ readonly itemId: string; readonly place: MenuPlace } | undefined>(undefined)
  const now = opened.value
  const close = (): void => {
    if (opened.value === now) opened.value = undefined
  }
  const menu = now === undefined ? null : <Menu key={now} kind={kind} {...now} onClose={close} />
  return { menu, open: (itemId, place) => (opened.value = { itemId, place }) }
}

interface MenuProps {
  readonly kind: CategoryItemKind
  readonly itemId: string
  readonly place: MenuPlace
  readonly onClose: () => void
}

function Menu({ kind, itemId, place, onClose }: MenuProps) {
  const { data, reload } = useResource(`categories/${kind}/${itemId}`, () => readCategories(kind, itemId), {
    changesWith: ['category.'],
  })
  if (data.value === undefined) return null
  const { categories, category_ids } = data.value
  return (
    <CategoryMenu
      items={[{ kind, id: itemId, category_ids }]}
      categories={categories}
      place={place}
      onChanged={reload}
      onClose={onClose}
    />
  )
}

interface ItemCategories {
  readonly categories: readonly Category[]
  readonly category_ids: readonly string[]
}

async function readCategories(kind: CategoryItemKind, itemId: string): Promise<ItemCategories> {
  const query = { item_kind: kind, item_id: itemId }
  const [{ categories }, own] = await Promise.all([
    call(listCategories, { query: {} }),
    call(listCategories, { query }),
  ])
  return { categories, category_ids: own.categories.map(({ category_id }) => category_id) }
}
