import { listAllCategories } from '../../store/categories/categories.ts'
import { listAssignmentLogSince } from '../../store/categories/category-log.ts'
import { countRowsUpTo } from '../../store/projections/projection-cursors.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, logProjection, type Projection, SINGLE_KEY } from '../engine/projection.ts'

const categories = documentProjection({
  path: 'categories/categories_current.json',
  touched: ({ kinds }) => (kinds.has('category.changed') ? [SINGLE_KEY] : []),
  render: (reader) => {
    const all = listAllCategories(reader)
    if (all.length === 0) return undefined
    return formatDocument(
      all.map(({ owner_user_id, title_folded: _, ...category }) => ({
        ...category,
        _ec: { owner_user_id },
      })),
    )
  },
})

const assignments = logProjection({
  path: 'categories/assignments.jsonl',
  rows: (reader, _key, span) => listAssignmentLogSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'category_assignment_log', upTo),
  shrinks: ({ kinds }) => kinds.has('category.assignments.compacted'),
})

export const categoryProjections: readonly Projection[] = [categories, assignments]
