declare module 'lucide/dist/esm/icons/*.mjs' {
  const nodes: readonly (readonly [tag: string, attributes: Readonly<Record<string, string | number>>])[]
  export default nodes
}
