import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useResource } from '../api/resource.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'
import { findPlaces, listPages, type Place, readPlaces } from './places.ts'

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Goes to a page, an ability, a run or a phone by its name. Arrow keys choose, Enter opens, Escape closes. */
export function Search({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const dialog = useRef<HTMLDialogElement>(null)
  const listId = useId()
  const query = useSignal('')
  const chosen = useSignal(0)
  const { data, failure } = useResource('search', readPlaces)
  useEffect(() => {
    dialog.current?.showModal()
    return () => dialog.current?.close()
  }, [])
  const found = findPlaces([...listPages(), ...(data.value ?? [])], query.value)
  const at = Math.min(chosen.value, found.length - 1)
  const go = (place: Place | undefined): void => {
    if (place === undefined) return
    onClose()
    route(place.href)
  }
  const onKey = (event: KeyboardEvent): void => {
    const step = STEPS[event.key]
    if (event.key === 'Enter') go(found[at])
    else if (step !== undefined && found.length > 0) chosen.value = (at + step + found.length) % found.length
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      class="search"
      aria-label={t.search.title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <label class="search-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={at < 0 ? undefined : `${listId}-${at}`}
          aria-label={t.search.hint}
          placeholder={t.search.hint}
          autocomplete="off"
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value
            chosen.value = 0
          }}
          onKeyDown={onKey}
        />
      </label>
      <ul id={listId} role="listbox" aria-label={t.search.found}>
        {found.map((place, position) => (
          <li
            key={place.href}
            id={`${listId}-${position}`}
            role="option"
            aria-selected={position === at}
            ref={(row) => {
              if (position === at) row?.scrollIntoView({ block: 'nearest' })
            }}
            onClick={() => go(place)}
          >
            <Icon name={place.icon} /> <span>{place.title}</span> <small>{t.search.kinds[place.kind]}</small>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {failure.value ?? (found.length === 0 ? t.search.none : '')}
      </p>
    </dialog>
  )
}
