import { useSignal } from '@preact/signals'
import {
  assignCategory,
  type Category,
  createCategory,
  deleteCategory,
  listCategoryItems,
  updateCategory,
} from '@apprentice/contracts/admin/categories.ts'
import { attempt, notify, offerUndo } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useCategories } from '../categories/category-list.ts'
import { NewCategory } from '../categories/category-menu.tsx'
import { Empty, Skeleton } from '../parts/basic.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { t } from '../text/text.ts'

/** The user's categories: create, rename, recolour, delete. */
export function CategorySettings() {
  const { data, reload } = useCategories()
  const deleting = useSignal<Category | undefined>(undefined)
  if (data.value === undefined) return <Skeleton />
  const { categories } = data.value
  return (
    <section class="panel">
      <h2>{t.settings.tabs.categories}</h2>
      {categories.length === 0 && <Empty icon="tag" title={t.category.none} />}
      <ul class="plain lines">
        {categories.map((category) => (
          <Row
            key={category.category_id}
            category={category}
            onChanged={reload}
            onDelete={() => (deleting.value = category)}
          />
        ))}
      </ul>
      <NewCategory onCreated={reload} />
      {deleting.value !== undefined && (
        <Confirm
          title={t.category.removeTitle(deleting.value.title)}
          text={t.category.removeText}
          action={t.category.delete}
          onConfirm={() => {
            const category = deleting.value
            if (category !== undefined) void attempt(() => removeCategory(category), reload)
          }}
          onClose={() => (deleting.value = undefined)}
        />
      )}
    </section>
  )
}

async function removeCategory({ category_id: categoryId, title, color }: Category): Promise<void> {
  const { items } = await call(listCategoryItems, { params: { categoryId } })
  await call(deleteCategory, { params: { categoryId } })
  offerUndo(t.category.deleted(title), async () => {
    const created = await call(createCategory, { body: { title, color } })
    for (const { item_kind, item_id } of items) {
      await call(assignCategory, { params: { categoryId: created.category_id }, body: { item_kind, item_id } })
    }
  })
}

interface RowProps {
  readonly category: Category
  readonly onChanged: () => Promise<void>
  readonly onDelete: () => void
}

function Row({ category, onChanged, onDelete }: RowProps) {
  const title = useSignal(category.title)
  const color = useSignal(category.color)
  const params = { categoryId: category.category_id }
  const isChanged = title.value !== category.title || color.value !== category.color
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body = { title: title.value.trim(), color: color.value }
    if (await attempt(() => call(updateCategory, { params, body }), onChanged)) notify(t.settings.saved)
  }
  return (
    <li>
      <form class="category-form" onSubmit={(event) => void submit(event)}>
        <input
          type="color"
          aria-label={t.category.colourOf(category.title)}
          value={color.value}
          onInput={({ currentTarget }) => (color.value = currentTarget.value)}
        />
        <input
          required
          maxLength={80}
          aria-label={t.category.rename(category.title)}
          value={title.value}
          onInput={({ currentTarget }) => (title.value = currentTarget.value)}
        />
        {isChanged && <button class="primary">{t.category.save}</button>}
        <button type="button" class="danger quiet" aria-label={t.category.remove(category.title)} onClick={onDelete}>
          {t.category.delete}
        </button>
      </form>
    </li>
  )
}
