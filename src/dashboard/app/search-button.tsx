import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ComponentType } from 'preact'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

type SearchView = ComponentType<{ readonly onClose: () => void }>

/** Opens the search, also by Ctrl+K. It is loaded when it is opened for the first time. */
export function SearchButton() {
  const View = useSignal<SearchView | undefined>(undefined)
  const isOpen = useSignal(false)
  const open = async (): Promise<void> => {
    const { Search } = await import('../search/search.tsx')
    View.value = Search
    isOpen.value = true
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      if (document.querySelector('dialog[open]') === null) void open()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button
        type="button"
        class="search-button"
        aria-keyshortcuts="Control+K"
        title={t.search.hint}
        onClick={() => void open()}
      >
        <Icon name="search" /> <span>{t.search.title}</span> <kbd>Ctrl K</kbd>
      </button>
      {isOpen.value && View.value !== undefined && <View.value onClose={() => (isOpen.value = false)} />}
    </>
  )
}
