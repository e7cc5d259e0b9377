import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Category, type CategoryItemKind, createCategory } from '@apprentice/contracts/admin/categories.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'
import { toggleCategory } from './category-list.ts'

export const DEFAULT_COLOUR = '#6366f1'
const MENU_WIDTH = 260
const MENU_SPACE = 320

/** Where a menu is opened, in pixels of the window. */
export interface MenuPlace {
  readonly x: number
  readonly y: number
  /** The menu is displayed after this: the release of the button that opened it would close it. */
  readonly released?: Promise<void>
}

/** An item with the categories it is in. */
export interface CategorizedItem {
  readonly kind: CategoryItemKind
  readonly id: string
  readonly category_ids: readonly string[]
}

interface CategoryMenuProps {
  readonly items: readonly CategorizedItem[]
  readonly categories: readonly Category[]
  readonly place: MenuPlace
  readonly onChanged: () => Promise<unknown>
  readonly onClose: () => void
}

/** Puts items into categories. Opened by a right click, the menu key or a button. */
export function CategoryMenu({ items, categories, place, onChanged, onClose }: CategoryMenuProps) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const menu = element.current
    if (menu === null) return
    menu.style.left = `${Math.max(8, Math.min(place.x, innerWidth - MENU_WIDTH - 8))}px`
    menu.style.top = `${Math.max(8, Math.min(place.y, innerHeight - MENU_SPACE))}px`
    const show = (): void => {
      if (!menu.isConnected) return
      menu.showPopover()
      menu.querySelector<HTMLElement>('button')?.focus()
    }
    if (place.released === undefined) show()
    else void place.released.then(show)
  }, [])
  const toggle = (categoryId: string, isIn: boolean) =>
    attempt(async () => {
      const changed = items.filter(({ category_ids }) => category_ids.includes(categoryId) === isIn)
      for (const item of changed) await toggleCategory(categoryId, item, isIn)
      await onChanged()
    })
  return (
    <div
      ref={element}
      popover="auto"
      class="menu"
      role="group"
      aria-label={t.category.add}
      onToggle={(event) => event.newState === 'closed' && onClose()}
      onKeyDown={moveFocus}
    >
      <p class="menu-title">{t.category.add}</p>
      {categories.length === 0 && <p class="hint">{t.category.none}</p>}
      <ul>
        {categories.map(({ category_id, title, color }) => {
          const isIn = items.every(({ category_ids }) => category_ids.includes(category_id))
          return (
            <li key={category_id}>
              <button
                type="button"
                class="quiet"
                role="checkbox"
                aria-checked={isIn}
                onClick={() => void toggle(category_id, isIn)}
              >
                <CategoryDot colour={color} />
                <span>{title}</span>
                {isIn && <Icon name="check" />}
              </button>
            </li>
          )
        })}
      </ul>
      <NewCategory onCreated={(id) => toggle(id, false)} />
    </div>
  )
}

/** The arrow keys move between the entries of the menu. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const menu = event.currentTarget
  if (step === undefined || !(menu instanceof HTMLElement) || event.target instanceof HTMLInputElement) return
  event.preventDefault()
  const entries = [...menu.querySelectorAll<HTMLElement>('button, input')]
  const at = entries.indexOf(document.activeElement as HTMLElement)
  entries.at((at + step) % entries.length)?.focus()
}

export const CategoryDot = ({ colour }: { readonly colour: string }) => (
  <svg class="dot" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
    <circle cx="5" cy="5" r="5" fill={colour} />
  </svg>
)

/** Nothing is listed before the daemon has created it. */
export function NewCategory({ onCreated }: { readonly onCreated: (id: string) => Promise<unknown> }) {
  const title = useSignal('')
  const colour = useSignal(DEFAULT_COLOUR)
  const isOpen = useSignal(false)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body = { title: title.value.trim(), color: colour.value }
    const isDone = await attempt(async () => onCreated((await call(createCategory, { body })).category_id))
    if (isDone) {
      title.value = ''
      isOpen.value = false
    }
  }
  if (!isOpen.value) {
    return (
      <button type="button" class="quiet new-category" onClick={() => (isOpen.value = true)}>
        {t.category.newOne}
      </button>
    )
  }
  return (
    <form class="new-category" onSubmit={(event) => void submit(event)}>
      <input
        ref={(input) => input?.focus()}
        name="title"
        required
        maxLength={80}
        placeholder={t.category.name}
        aria-label={t.category.name}
        value={title.value}
        onInput={({ currentTarget }) => (title.value = currentTarget.value)}
      />
      <input
        type="color"
        aria-label={t.category.colour}
        value={colour.value}
        onInput={({ currentTarget }) => (colour.value = currentTarget.value)}
      />
      <button class="primary">{t.category.create}</button>
    </form>
  )
}
