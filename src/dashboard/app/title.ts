import { useEffect } from 'preact/hooks'

/** Sets the title of the browser tab while a view is displayed. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Apprentice`
  }, [title])
}
