import { useEffect, useRef } from 'preact/hooks'

interface TabsProps<T extends string> {
  readonly label: string
  readonly names: readonly T[]
  readonly open: T
  readonly toHref: (name: T) => string
  readonly toLabel: (name: T) => string
}

/** Links to the parts of a page. Each has its own address. Where not all fit, the open one is scrolled into view. */
export function Tabs<T extends string>({ label, names, open, toHref, toLabel }: TabsProps<T>) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (nav.current === null || !link) return
    nav.current.scrollLeft = link.offsetLeft - nav.current.offsetLeft - (nav.current.clientWidth - link.offsetWidth) / 2
  }, [open])
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      {names.map((name) => (
        <a key={name} href={toHref(name)} aria-current={name === open ? 'page' : undefined}>
          {toLabel(name)}
        </a>
      ))}
    </nav>
  )
}
