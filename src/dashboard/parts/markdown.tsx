import DOMPurify from 'dompurify'
import { marked } from 'marked'
import { useEffect, useRef } from 'preact/hooks'

/** Rendered Markdown. What is not plain formatting, such as scripts, forms and images, is removed. */
export function Markdown({ source }: { readonly source: string }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const html = marked.parse(stripFrontmatter(source), { async: false })
    const content = DOMPurify.sanitize(html, {
      RETURN_DOM_FRAGMENT: true,
      FORBID_TAGS: ['style', 'form', 'input', 'img', 'iframe'],
      FORBID_ATTR: ['style'],
    })
    place.current?.replaceChildren(content)
  }, [source])
  return <div ref={place} class="markdown" />
}

function stripFrontmatter(source: string): string {
  if (!source.startsWith('---\n')) return source
  const end = source.indexOf('\n---\n', 3)
  return end === -1 ? source : source.slice(end + 5)
}
