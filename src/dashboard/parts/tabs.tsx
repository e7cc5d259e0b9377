interface TabsProps<T extends string> {
  readonly label: string
  readonly names: readonly T[]
  readonly open: T
  readonly toHref: (name: T) => string
  readonly toLabel: (name: T) => string
}

/** Links to the parts of a page. Each has its own address. */
export const Tabs = <T extends string>({ label, names, open, toHref, toLabel }: TabsProps<T>) => (
  <nav class="tabs" aria-label={label}>
    {names.map((name) => (
      <a key={name} href={toHref(name)} aria-current={name === open ? 'page' : undefined}>
        {toLabel(name)}
      </a>
    ))}
  </nav>
)
