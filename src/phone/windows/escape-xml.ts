/** Escapes the value of an attribute within these quotation marks. Characters that XML forbids become dots. */
export function escapeXml(value: string, quotation: '"' | "'"): string {
  let escaped = ''
  for (const char of value) {
    const code = char.codePointAt(0) ?? 0
    if (char === '&') escaped += '&amp;'
    else if (char === '<') escaped += '&lt;'
    else if (char === '>') escaped += '&gt;'
    else if (char === quotation) escaped += quotation === '"' ? '&quot;' : '&apos;'
    else if (char === '\n' || char === '\r' || char === '\t') escaped += `&#${code};`
    else if (isUnprintable(code)) escaped += '.'
    else escaped += code > 0xffff ? `&#${code};` : char
  }
  return escaped
}

function isUnprintable(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f && code !== 0x85) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    (code >= 0xfdd0 && code <= 0xfddf) ||
    code === 0xfffe ||
    code === 0xffff
  )
}
