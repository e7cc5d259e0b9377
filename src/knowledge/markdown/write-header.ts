import { Document, isScalar, visit } from 'yaml'

/**
 * Strings are quoted as JSON on one line, so none can end the header or be parsed as another type. A nested map is
 * written as JSON on one line, because some agents read a header line by line.
 */
export function writeHeader(fields: Readonly<Record<string, unknown>>): string {
  const document = new Document(fields, { aliasDuplicateObjects: false })
  visit(document, {
    Map: (_key, node) => {
      if (node === document.contents) return
      node.flow = true
      for (const { key } of node.items) if (isScalar(key)) key.type = 'QUOTE_DOUBLE'
    },
  })
  const yaml = document.toString({
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    doubleQuotedAsJSON: true,
    lineWidth: 0,
  })
  return wrapInFences(yaml)
}

export const wrapInFences = (yaml: string): string => `---\n${yaml}---\n`
