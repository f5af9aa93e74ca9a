/** Paths of duplicate keys in a JSON text (`spec.replicas`), of which JSON.parse silently keeps the last. */
export function duplicateKeys(text: string): string[] {
  const found: string[] = [];
  let at = 0;
  const blank = () => {
    while (at < text.length && ' \t\r\n'.includes(text[at]!)) at++;
  };
  const quoted = (): string => {
    const from = at;
    at++;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at++;
    return JSON.parse(text.slice(from, at)) as string;
  };

  function value(path: string): void {
    blank();
    if (text[at] === '{') object(path);
    else if (text[at] === '[') array(path);
    else if (text[at] === '"') quoted();
    else while (at < text.length && !',}] \t\r\n'.includes(text[at]!)) at++;
    blank();
  }
  function object(path: string): void {
    const keys = new Set<string>();
    at++;
    blank();
    while (text[at] !== '}') {
      blank();
      const key = quoted();
      const below = path === '' ? key : `${path}.${key}`;
      if (keys.has(key)) found.push(below);
      keys.add(key);
      blank();
      at++;
      value(below);
      if (text[at] === ',') at++;
      blank();
    }
    at++;
  }
  function array(path: string): void {
    at++;
    blank();
    for (let index = 0; text[at] !== ']'; index++) {
      value(`${path}[${index}]`);
      if (text[at] === ',') at++;
      blank();
    }
    at++;
  }

  value('');
  return found;
}
